"""Operators on Arrow columns; only this folder knows how Arrow computes, and it takes a row only where Python does the same."""
