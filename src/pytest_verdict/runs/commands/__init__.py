"""The commands about several runs."""
