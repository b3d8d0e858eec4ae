"""Where a model goes wrong: numbers by node, confusions, slices, calibration, flips of answers, doubtful truths."""
