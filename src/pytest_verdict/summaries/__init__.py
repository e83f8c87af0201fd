"""Summaries of a report in the formats of CI systems and other tools."""
