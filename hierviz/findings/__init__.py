"""Faults of taxonomies, class lists, truth and predictions: found all at once, and mended where that is certain."""
