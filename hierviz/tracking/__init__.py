"""Where teams track and train: runs of MLflow and Weights & Biases, scorers and displays of scikit-learn, a metric of torchmetrics."""
