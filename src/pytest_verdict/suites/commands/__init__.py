"""Commands of the console script for suites."""
