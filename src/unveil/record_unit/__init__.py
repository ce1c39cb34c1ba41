"""The record unit (L_R): compares records encoded as a whole, and asks about pairs whose decision is uncertain."""
