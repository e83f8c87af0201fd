"""Data sets: rows from files, compared many at once, in tests or without pytest."""
