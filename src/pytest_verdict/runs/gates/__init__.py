"""Gates of a session: what share of its comparisons must pass, whatever came of the tests."""
