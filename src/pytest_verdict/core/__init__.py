"""The core: values, results, operators, records and replay. It knows no family."""
