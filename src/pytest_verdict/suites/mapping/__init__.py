"""Mapping: where the inputs of an operator come from, as data.

An input is a JSONPath or a literal, with steps that extract a part of what the path found.
"""
