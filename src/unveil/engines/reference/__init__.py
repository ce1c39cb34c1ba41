"""Plain NumPy: `engine` defines what is right."""
