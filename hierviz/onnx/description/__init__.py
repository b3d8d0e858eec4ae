"""What a model file and the files next to it declare."""
