"""The site: `python -m sphinx -W -b html docs build/site` (pip install '.[docs]')."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

import linkwright

project = "Linkwright"
author = "The Linkwright authors"
copyright = f"{author}. BSD-3-Clause"
version = release = linkwright.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "algorithm_tables", "public_names", "plain_docstrings", "notebooks"]
source_suffix = {".md": "markdown", ".ipynb": "markdown"}
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4  # pages link to each other's headings
nitpicky = False  # types in signatures are named as the code names them, and not all of them have a page

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100

smartquotes = False  # L'L is a product, and quotes in code are straight

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_title = f"Linkwright {release}"
html_show_sphinx = False
exclude_patterns = ["_extensions"]
