"""All metrics of all models on the given samples, and the mistakes."""
