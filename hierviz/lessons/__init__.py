"""Lessons on hierarchical metrics: text, questions, and functions that compute what they show."""
