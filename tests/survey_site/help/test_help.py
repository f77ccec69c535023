"""The documentation as pages: every file is one, every link arrives, and nothing in them is refused."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.urls import reverse

from survey_site.help.anchors import slug
from survey_site.help.contents import INDEX, folder, pages, parts
from survey_site.help.links import HELP
from survey_site.help.pages import read_page

ROOT = Path(__file__).parents[3]
PAGES = tuple(pages())
TEMPLATES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "templates").rglob("*.html")}


def used_in_templates(tag: str) -> set[str]:
    return {name for text in TEMPLATES.values() for name in re.findall(rf'{{% {tag} "([^"]+)"', text)}


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, attribute: str) -> list[str]:
        return [value for _, attrs in self.found if (value := attrs.get(attribute)) is not None]


def test_the_index_lists_every_file_of_the_documentation_once():
    listed = [entry.name for part in parts() for entry in part.entries]
    assert sorted([INDEX, *listed]) == sorted(path.stem for path in folder().glob("*.md"))


def test_every_line_of_the_index_that_links_a_page_is_read():
    text = (folder() / f"{INDEX}.md").read_text(encoding="utf-8")
    assert len(re.findall(r"\]\([\w-]+\.md", text)) == len(PAGES)
    assert [part.title for part in parts()] == re.findall(r"^## (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize("place", HELP)
def test_every_link_to_the_help_has_its_page_and_anchor(place):
    name, _, part = HELP[place].partition("#")
    assert name in PAGES
    assert not part or part in read_page(name).anchors


def test_pages_offer_help_for_every_place_of_the_table_and_for_no_other():
    assert used_in_templates("help") == set(HELP)


def test_every_term_that_pages_link_is_in_the_glossary():
    terms = {slug(name) for name in used_in_templates("term")}
    assert terms
    assert terms - read_page("glossary").anchors == set()


@pytest.mark.parametrize("name", PAGES)
def test_links_on_a_page_lead_to_anchors_that_are_there(name):
    lost = []
    for href in Elements(read_page(name).html).all("href"):
        path, _, part = href.partition("#")
        target = path.strip("/").rpartition("/")[2] if path else name
        if not path.startswith("http") and part and part not in read_page(target).anchors:
            lost.append(href)
    assert lost == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_nothing_inline_and_each_anchor_once(name):
    elements = Elements(read_page(name).html)
    assert {tag for tag, _ in elements.found} & {"script", "style", "h1"} == set()
    assert elements.all("style") == []
    assert sorted(elements.all("id")) == sorted(read_page(name).anchors)


@pytest.mark.parametrize("name", PAGES)
def test_tables_below_one_heading_have_names_of_their_own(name):
    names = re.findall(r'role="region"([^>]*)>', read_page(name).html)
    assert len(names) == len(set(names))


def test_each_cell_of_a_wide_table_says_its_column(tmp_path, monkeypatch):
    wide = "| Name | Size | Why |\n|---|---:|---|\n| one | 2 | |\n"
    narrow = "| Name | Why |\n|---|---|\n| a | b |\n"
    (tmp_path / "wide-and-narrow.md").write_text(f"# Tables\n\n{wide}\n{narrow}", encoding="utf-8")
    monkeypatch.setattr("survey_site.help.pages.pages", lambda: ["wide-and-narrow"])
    monkeypatch.setattr("survey_site.help.pages.folder", lambda: tmp_path)
    html = read_page("wide-and-narrow").html
    assert re.findall(r"<td[^>]*>.*?</td>", html) == [
        "<td>one</td>",
        '<td data-head="Size" class="num">2</td>',
        '<td class="table__none"></td>',
        "<td>a</td>",
        "<td>b</td>",
    ]
    assert re.findall(r'<table class="([^"]*)"', html) == [
        "table table--dense table--stack",
        "table table--dense",
    ]


def test_a_link_to_a_file_that_is_no_page_stays_words():
    html = read_page("measures").html
    assert "README.md" in "".join(folder().joinpath("measures.md").read_text(encoding="utf-8"))
    assert 'href=""' not in html
    assert "README.md</a>" not in html


def test_formulas_are_set_by_the_browser_itself():
    html = read_page("protocol").html
    displayed = (folder() / "protocol.md").read_text(encoding="utf-8").count("$$") // 2
    assert displayed > 5
    assert html.count('<div class="formula"') == html.count('display="block"') == displayed
    assert html.count("<math") == html.count("</math>") > displayed
    assert "$" not in html


def test_help_is_for_those_with_an_account(client):
    address = reverse("help:page", args=["glossary"])
    response = client.get(address)
    assert response.status_code == 302
    assert response["Location"] == f"{reverse('accounts:login')}?next={address}"


def test_a_page_shows_its_title_and_text(researcher_client):
    content = researcher_client.get(reverse("help:page", args=["glossary"])).content.decode()
    assert content.count("<h1>Glossary</h1>") == 1
    assert '<h3 id="ceiling">Ceiling</h3>' in content


def test_the_list_leads_to_every_page(researcher_client):
    content = researcher_client.get(reverse("help:index")).content.decode()
    leads = re.findall(r'<h3><a href="([^"]+)">', content)
    assert leads == [reverse("help:page", args=[name]) for name in PAGES]


@pytest.mark.parametrize("name", ["nothing", "README"])
def test_what_is_no_page_is_not_found(researcher_client, name):
    assert researcher_client.get(reverse("help:page", args=[name])).status_code == 404


def test_pictures_of_the_documentation_are_sent_and_nothing_else_is(researcher_client):
    picture = researcher_client.get(reverse("help:image", args=["report.png"]))
    assert picture["Content-Type"] == "image/png"
    assert b"".join(picture.streaming_content)[:4] == b"\x89PNG"
    assert researcher_client.get(reverse("help:image", args=["other.png"])).status_code == 404
