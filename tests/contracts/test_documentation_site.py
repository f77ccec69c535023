"""The documentation as a web site of its own (`make docs`) builds without a warning and has every page."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from survey_site.help.contents import INDEX, pages, parts

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The command of the Makefile, but into another folder."""
    recipe = re.search(r"^docs:.*\n\t\$\(BIN\)/(.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    program, *arguments = recipe[1].split()
    folder = tmp_path_factory.mktemp("documentation")
    found = subprocess.run(
        [Path(sys.executable).parent / program, *arguments[:-1], folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
    return folder


class Fetched(HTMLParser):
    """What a browser fetches by itself to show a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        wanted = {"script": "src", "img": "src", "link": "href", "iframe": "src"}.get(tag)
        self.addresses += [value for name, value in attrs if name == wanted and value]


def test_it_has_every_page_and_fetches_nothing_from_elsewhere(built):
    for name in (INDEX, *pages()):
        html = (built / f"{name}.html").read_text(encoding="utf-8")
        addresses = Fetched(html).addresses
        assert addresses
        assert [one for one in addresses if re.match(r"(https?:)?//", one)] == [], name


def test_its_navigation_is_that_of_the_index(built):
    html = (built / f"{INDEX}.html").read_text(encoding="utf-8")
    captions = re.findall(r'<p class="caption"[^>]*><span class="caption-text">(.+?)</span>', html)
    assert captions == [part.title for part in parts()]
    leads = re.findall(r'<li class="toctree-l1"><a class="reference internal" href="([\w-]+)\.html">', html)
    assert leads == list(pages())


def test_formulas_are_set_by_the_browser_itself(built):
    html = (built / "protocol.html").read_text(encoding="utf-8")
    source = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
    assert html.count('display="block"') == source.count("$$") // 2
