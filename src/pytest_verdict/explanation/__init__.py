"""Why a comparison came out as it did: one model, from which the terminal, JUnit, commands and reports draw.

Operators contribute facts in the details of their outcome; families may explain their own operators by the hook
``explanations``. Nothing here is loaded while all comparisons pass.
"""

from pytest_verdict.explanation.drawing import explain, failure_block, headline

__all__ = ["explain", "failure_block", "headline"]
