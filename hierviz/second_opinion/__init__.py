"""Every number once more, from plain definitions with sets and loops: slow, and independent of the rest of hierviz."""
