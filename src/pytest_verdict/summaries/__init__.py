"""Summaries: a report told to a CI in the format that it reads."""
