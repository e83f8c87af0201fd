"""Operators on JSON values."""
