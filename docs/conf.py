"""How the documentation is built: ``sphinx-build -W --keep-going -b html docs docs/_build/html``."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extension"))

project = "pytest-verdict"
author = "The pytest-verdict developers"
copyright = "2026, the pytest-verdict developers"
version = release = installed_version("pytest-verdict")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "reference_pages",
]
exclude_patterns = ["_build", "_extension"]
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3

# Docstrings write names of this package between single backticks.
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"pytest-verdict {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["side_by_side.css"]
