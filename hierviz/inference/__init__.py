"""Inference rules: node probabilities in, predicted nodes out. `registry.INFERENCE_RULES` describes them by key."""
