"""Many rows of a data set at once."""
