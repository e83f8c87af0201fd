"""Commands of the console script for answer templates."""
