"""The hierarchical confusion matrix: paths of predicted and true classes, matched and counted."""
