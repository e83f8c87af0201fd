"""Blind comparison: two candidates judged without the judge knowing who made which, and decided by arithmetic."""
