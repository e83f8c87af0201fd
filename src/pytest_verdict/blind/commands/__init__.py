"""Commands of the console script for blind comparisons."""
