"""Parts of pages that are kept: what differs on every page is filled in anew, and stays text."""

import pytest
from django.template import engines
from django.utils.translation import override

from survey_site.common import kept as module


@pytest.fixture
def part(tmp_path, settings):
    """Renders the tag with a template of the given words, as a page does."""
    engine = {**settings.TEMPLATES[0], "DIRS": [tmp_path]}
    settings.TEMPLATES = [engine]

    def render(words, tag, **values):
        (tmp_path / "part.html").write_text(words)
        page = engines["django"].from_string(f"{{% load kept %}}{{% kept 'part.html' {tag} %}}")
        return page.render(values)

    module._kept_parts.cache_clear()
    yield render
    module._kept_parts.cache_clear()


def test_a_text_of_its_own_is_filled_in_on_each_page_and_escaped(part):
    words = "{{ who }}:<p>{{ left }}</p>{% if right %}<p>{{ right }}</p>{% else %}none{% endif %}"
    tag = "who=who own_left=left own_right=right"
    assert part(words, tag, who="A", left="<b>", right="&") == "A:<p>&lt;b&gt;</p><p>&amp;</p>"
    assert part(words, tag, who="A", left="one", right="two") == "A:<p>one</p><p>two</p>"
    assert part(words, tag, who="A", left="one", right="") == "A:<p>one</p>none"
    assert module._kept_parts.cache_info()[:2] == (
        1,
        2,
    )  # with both texts and with one, then found


def test_what_is_filled_in_is_not_looked_through_again(part):
    tag = "own_left=left own_right=right"
    mark = f"{module._MARK}-right-"
    assert part("{{ left }} {{ right }}", tag, left=mark, right="two") == f"{mark} two"


def test_a_kept_part_may_hold_another_one_with_the_same_text(part, tmp_path):
    (tmp_path / "inner.html").write_text("<i>{{ code }}</i>")
    words = "{% load kept %}{{ code }}{% kept 'inner.html' own_code=code %}"
    assert part(words, "own_code=code", code="<1>") == "&lt;1&gt;<i>&lt;1&gt;</i>"
    assert part(words, "own_code=code", code="2") == "2<i>2</i>"


def test_each_language_has_its_own(part):
    words = '{% load i18n %}{% translate "Submit" %}'
    with override("ar"):
        arabic = part(words, "")
    assert (part(words, ""), arabic) == ("Submit", "إرسال")
