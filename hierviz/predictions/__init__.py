"""One model's scores or labels with the truth; how scores become probabilities."""
