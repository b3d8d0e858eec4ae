"""What a model file says about itself, and what stands beside it."""
