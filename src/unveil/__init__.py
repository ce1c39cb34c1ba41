"""Unveil links records about the same people across organisations that may not show each other their data."""

__version__ = "0.1.0"
