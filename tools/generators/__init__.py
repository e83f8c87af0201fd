"""One module for each kind of generated file; `tools.generate` runs them."""
