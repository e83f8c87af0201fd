"""Commands of blind comparison."""
