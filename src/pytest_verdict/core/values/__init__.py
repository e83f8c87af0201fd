"""Values: typed JSON, equality, numbers and JSON in text, redaction, and how values are shown to people."""
