"""Operating curves: what every threshold at once gives."""
