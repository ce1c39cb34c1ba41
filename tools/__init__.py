"""What makes documentation and priors from the code. None of it is in the wheel."""
