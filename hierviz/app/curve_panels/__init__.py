"""The panels of the page of operating curves."""
