"""Checks of the order of the classes and of the preprocessing, on samples with known truth."""
