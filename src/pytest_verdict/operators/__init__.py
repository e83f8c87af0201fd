"""The operator family: one file per surface, and the registry that finds an operator by name."""
