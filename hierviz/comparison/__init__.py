"""Methods side by side: a table of numbers with intervals, ranks, constants and how far the metrics agree."""
