"""What chance can do: resamples, intervals of means and curves, paired differences, bounds for new samples."""
