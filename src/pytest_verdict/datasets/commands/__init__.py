"""Commands of the console script for data sets."""
