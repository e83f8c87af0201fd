"""One HTML page that shows comparisons; texts of records are never written as HTML."""
