"""Arrays, pictures, tables and texts as a model takes them."""
