"""Console commands for data sets."""
