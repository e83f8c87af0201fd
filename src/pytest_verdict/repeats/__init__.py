"""Repeats of a test or a scenario: rules that decide over attempts, and what the attempts say about the test."""
