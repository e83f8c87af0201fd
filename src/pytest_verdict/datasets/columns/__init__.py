"""Operators on Arrow columns: the only package that imports pyarrow to compute."""
