"""The parts of the page that compares models."""
