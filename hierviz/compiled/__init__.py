"""Compiled loops over trees, used where numba is installed and the input is large."""
