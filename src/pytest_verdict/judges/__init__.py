"""Judges: models that read a response and fill in a form; they never decide whether it is correct."""
