"""Extraction: where the inputs of an operator come from, written as data: JSONPaths, literals and steps."""
