"""Data sets scored by units: a plan of slices, a pure function of each, and a fold of what came out."""
