"""What several pages show: numbers with their definitions, figures, tables, one sample."""
