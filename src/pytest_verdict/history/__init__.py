"""The history of tests over the runs of a store, in the terminal and as a static site."""
