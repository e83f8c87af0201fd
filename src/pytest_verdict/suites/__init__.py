"""Suites: scenarios and datasets in files, adapters that run what is tested, and scorers."""
