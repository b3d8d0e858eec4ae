"""Imported before all other charts: says what to install where altair and its companions are missing."""

from hierviz.messages.extras import require

require("hierviz.charts", "charts", "altair", "pandas", "vl_convert")
