"""Answer templates: what to extract from a response, what is correct, and how the two are compared."""
