"""Trajectories: sequences of tool calls, read from any common wire format and compared by named operators.

``event`` says what one call is, ``readers`` holds one reader per wire format, ``selection`` and ``names`` say which events
count and what they are called, ``arguments`` and ``relation`` when an expected call accepts an observed one, ``pairing`` and
``alignment`` which call belongs to which. The operators stand on top, one idea per file.
"""
