"""The tree or graph of classes, with its layout, sums along it, and checks of nodes and positions."""
