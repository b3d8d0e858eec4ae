"""Predictions in the forms of other tools, one a file. `registry` says how each is recognised and which function reads it."""
