"""What the package says and how it stops: errors, names of parameters, numbers as text, progress, Ctrl-C."""
