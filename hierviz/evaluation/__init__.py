"""All numbers of all models on the samples at hand, and which samples go wrong."""
