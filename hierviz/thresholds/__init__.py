"""Choosing a threshold: for a target, by group of samples, with a bound for new samples; operating points."""
