"""The pages, one a file, read from top to bottom."""
