"""The parts of the page Mistakes."""
