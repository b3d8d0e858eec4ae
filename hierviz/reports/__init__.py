"""Reports: one HTML file with the numbers, curves, examples and mistakes of some models, which needs no network."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hierviz.reports.report_file import Report as Report
    from hierviz.reports.report_file import ReportRun as ReportRun
    from hierviz.reports.report_file import report as report
    from hierviz.reports.report_samples import ReportSamples as ReportSamples

__all__ = ["Report", "ReportRun", "ReportSamples", "report"]


def __getattr__(name):
    # A server starts with the views of this package, and with the charts of its reports later.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    file = "report_samples" if name == "ReportSamples" else "report_file"
    globals()[name] = found = getattr(importlib.import_module(f"hierviz.reports.{file}"), name)
    return found
