"""One HTML file in which a person looks at comparisons; no text of a record is ever written as HTML."""
