"""Roman numerals for pytest-verdict."""
