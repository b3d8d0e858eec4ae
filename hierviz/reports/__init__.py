"""Reports: one HTML file with the numbers, curves, examples and mistakes of some models, which needs no network."""

from hierviz.reports.report_file import Report, ReportRun, report
from hierviz.reports.report_samples import ReportSamples

__all__ = ["Report", "ReportRun", "ReportSamples", "report"]
