"""How Sphinx builds the manual: `python -m sphinx -W --keep-going docs build/manual`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]

import hierviz  # noqa: E402

project, author, copyright = "hierviz", "the hierviz authors", "2026, the hierviz authors"
version = release = hierviz.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mathml"]
extensions += ["gallery_pictures", "docstring_references"]
exclude_patterns = ["_extensions"]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
# Words in the types of docstrings, such as n_samples in a shape, are attributes of several classes.
suppress_warnings = ["ref.python"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_param = napoleon_use_rtype = False

html_theme = "furo"
html_title = f"hierviz {version}"
html_favicon = "../assets/icon.png"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_copy_source = html_show_sourcelink = False
