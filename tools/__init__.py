"""Tools of the repository; nothing here is part of the package.

- `generate`: writes every file that is made from something else (``make generate``).
- `fuzz`: the readers of untrusted text, and inputs that may break them.
- `faults`: sessions that are killed at every moment.
- `mutation`: changes of random lines that some test should notice.
- `junit_side_by_side`: our junit.xml beside pytest's own, over the suites of other projects.
"""
