"""Faults of taxonomies, class lists, truth and predictions: found all at once, and fixed where that is certain."""
