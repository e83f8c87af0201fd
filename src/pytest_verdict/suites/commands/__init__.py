"""Console commands for suites."""
