"""Metrics of sets of labels: a predicted set of nodes against a true one."""
