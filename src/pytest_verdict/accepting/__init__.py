"""Accepted values: the files that hold them, and the command that writes an observed value to a file."""
