"""Run the tests of other tools, and compare each verdict with ours.

`python -m tools.peers FOLDER` runs the tests that other tools ship with. Whenever such a test calls a scorer of its tool,
the same values go through the operator that docs/how-to/coming-from.md teaches for it, and the two verdicts are compared.
FOLDER holds what was downloaded: the archives of the tools' sources, each unpacked into a folder of its own. Nothing of
it belongs into this repository.
"""
