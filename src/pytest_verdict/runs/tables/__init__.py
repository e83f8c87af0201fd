"""Records as rows: tables by field, operator or parameter, and frames of other libraries."""
