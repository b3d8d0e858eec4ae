"""Where teams track and train: MLflow, Weights & Biases, scikit-learn, torchmetrics."""
