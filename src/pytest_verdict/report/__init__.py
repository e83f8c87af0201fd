"""Reports: every one of them is a fold over the journal of a session."""
