"""Many rows of a data set at once, and data sets scored by units: a plan, a pure function of each unit, and a fold."""
