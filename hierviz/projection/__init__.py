"""The same predictions on a part of the taxonomy, or on one with more leaves: cutting, projecting, inner truths as leaves."""
