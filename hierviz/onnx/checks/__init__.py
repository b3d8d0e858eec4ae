"""Does the model say what its classes and preparation promise? Checks on samples with known truth."""
