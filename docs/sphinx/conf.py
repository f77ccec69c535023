"""How Sphinx builds the documentation: `make docs`. The pages are those that the site shows under Help.

The order of pages stands in `docs/index.md` alone; here it becomes the navigation. Formulas become MathML, as
in Help, so that neither shows anything that another machine has to send.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxTranslator

sys.path.insert(0, str(Path(__file__).parents[2]))
from meta_eval.version import __version__
from survey_site.help.contents import INDEX, pages, parts

project = "Concord"
version = release = __version__
extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_digits = False
myst_heading_anchors = 4
exclude_patterns = ["sphinx", "systemd", "*.ipynb"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
html_theme = "furo"
html_title = f"Concord {__version__}"
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
pygments_style = "friendly"


LINK = re.compile(r"(?<!!)\[([^]]+)\]\((?!https?://|#)([\w./-]+)(?:#[^)]*)?\)")


def keep_links_within(_app: Sphinx, _name: str, source: list[str]) -> None:
    """A link to a file that is no page stays words, as it does in Help."""

    def kept(link: re.Match[str]) -> str:
        return link[0] if link[2].removesuffix(".md") in pages() else link[1]

    source[0] = LINK.sub(kept, source[0])


def add_navigation(_app: Sphinx, name: str, source: list[str]) -> None:
    """Below the list of pages, what makes it the navigation."""
    if name == INDEX:
        for part in parts():
            pages = "\n".join(entry.name for entry in part.entries)
            source[0] += f"\n\n```{{toctree}}\n:hidden:\n:caption: {part.title}\n\n{pages}\n```\n"


def set_formula(translator: SphinxTranslator, node: nodes.math) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def set_displayed_formula(translator: SphinxTranslator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    app.connect("source-read", keep_links_within)
    app.connect("source-read", add_navigation)
    app.add_html_math_renderer("mathml", (set_formula, None), (set_displayed_formula, None))
