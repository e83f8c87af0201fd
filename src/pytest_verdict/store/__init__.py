"""A store of runs: a folder or a URL with one small index and one bundle for each run, and with baselines."""
