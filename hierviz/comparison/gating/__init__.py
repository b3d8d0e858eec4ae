"""Is a candidate at most so much worse than a baseline? A check for continuous integration."""
