"""Reports: one HTML file with the numbers, curves, examples and mistakes of some models, which needs no network."""

from hierviz.reports.report_file import Report, report

__all__ = ["Report", "report"]
