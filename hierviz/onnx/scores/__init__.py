"""What a model's outputs mean: which output, which class each column is, which kind of score."""
