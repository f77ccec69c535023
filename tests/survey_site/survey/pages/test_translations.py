"""Raters' pages are marked for translation throughout, and every catalogue is complete and compiled."""

import re

import pytest
from django.conf import settings
from django.utils.translation import ngettext, override

from survey_site.settings.languages import languages, rater_language
from tests.survey_site.survey.pages import catalogue

TRANSLATIONS = [code for code, _ in settings.LANGUAGES if code != "en"]


@pytest.mark.parametrize("path", catalogue.RATER_TEMPLATES, ids=lambda path: path.name)
def test_every_word_of_a_raters_template_is_marked(path):
    assert catalogue.unmarked_text(path) == []


@pytest.mark.parametrize("path", catalogue.RATER_MODULES, ids=lambda path: path.name)
def test_every_error_that_raters_may_see_is_marked(path):
    assert catalogue.unmarked_errors(path) == []


def test_an_unmarked_word_would_be_found(tmp_path):
    page, module = tmp_path / "page.html", tmp_path / "module.py"
    page.write_text('<p title="Why">{% translate "Marked" %} bare{# no #}</p>', encoding="utf-8")
    code = 'raise GoneError("Over", action=f"{x} too")\nraise GoneError(_("Fine"))'
    module.write_text(code, encoding="utf-8")
    assert catalogue.unmarked_text(page) == ["Why", "bare"]
    assert catalogue.unmarked_errors(module) == ["'Over'", "f'{x} too'"]


def test_there_is_a_right_to_left_language():
    assert "ar" in TRANSLATIONS


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_string_is_translated_and_none_is_left_over(language):
    translated = catalogue.read_po(catalogue.catalogue(language, "po"))
    strings = catalogue.code_strings() | catalogue.template_strings()
    assert len(strings) > 200
    assert strings ^ (set(translated) - {""}) == set()
    assert [source for source, texts in translated.items() if not all(texts)] == []


def names(text):
    """What is put into a text, and its tags, which a translation must keep."""
    return set(re.findall(r"%\(\w+\)s|{\w+}|</?\w[^>]*>", text))


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translations_keep_what_is_put_into_them(language):
    for source, texts in catalogue.read_po(catalogue.catalogue(language, "po")).items():
        kept = names(texts[-1] if len(texts) > 1 else texts[0])
        assert (source, kept) == (source, names(source))
        assert [text for text in texts if not names(text) <= names(source)] == []


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_plural_has_all_forms_of_the_language(language):
    entries = catalogue.read_po(catalogue.catalogue(language, "po"))
    forms = int(re.search(r"nplurals=(\d)", entries[""][0]).group(1))
    assert {len(texts) for texts in entries.values()} == {1, forms}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_the_compiled_catalogue_is_that_of_the_source(language):
    """Run `manage.py compilemessages` after a change."""
    source, compiled = (catalogue.catalogue(language, suffix) for suffix in ("po", "mo"))
    written, read = catalogue.read_po(source), catalogue.read_mo(compiled)
    assert {key: texts for key, texts in read.items() if key} == {
        key: texts for key, texts in written.items() if key
    }


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "أكملت استبيانًا واحدًا."),
        (2, "أكملت استبيانين."),
        (3, "أكملت 3 استبيانات."),
        (11, "أكملت 11 استبيانًا."),
        (100, "أكملت 100 استبيان."),
    ],
)
def test_arabic_counts_in_its_own_forms(count, text):
    source = "You have completed %(done)s questionnaire."
    with override("ar"):
        assert ngettext(source, source, count) % {"done": count} == text


def test_languages_are_those_with_a_compiled_catalogue(tmp_path):
    for name in ("fr", "pt_BR", "de"):
        (tmp_path / name / "LC_MESSAGES").mkdir(parents=True)
    for name in ("fr", "pt_BR"):
        (tmp_path / name / "LC_MESSAGES" / "django.mo").touch()
    available = languages(tmp_path)
    assert available == [("en", "English"), ("fr", "French"), ("pt-br", "Brazilian Portuguese")]
    assert rater_language("fr", available) == "fr"


def test_a_language_that_is_not_there_stops_the_site_and_says_which_are():
    with pytest.raises(Exception, match="CONCORD_LANGUAGE='xx' is none of the languages: en, ar"):
        rater_language("xx", settings.LANGUAGES)
