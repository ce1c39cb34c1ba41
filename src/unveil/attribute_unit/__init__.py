"""The attribute unit (L_A): compares attributes under keys used for one pair alone, and asks reviewers about a few."""
