"""Languages of pages and of texts: which there are, how they are written, and which a visitor is served.

Staff read English. Raters' pages come in every language of `settings.LANGUAGES`. A text that nobody
translated, a corpus' text above all, carries its own language and direction wherever it stands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, get_language_info
from django.utils.translation.trans_real import parse_accept_lang_header

STAFF_LANGUAGE = "en"
COOKIE = "language"


@dataclass(frozen=True)
class Language:
    """A language of raters' pages; `name` is what its readers call it, `english_name` what staff do."""

    code: str
    name: str
    english_name: str
    direction: str


@dataclass(frozen=True)
class Text:
    """Words and the language they are in; "" where nobody said which."""

    words: str
    language: str

    @property
    def attributes(self) -> SafeString:
        """For the element that holds the words."""
        return text_attributes(self.language)

    @property
    def html(self) -> SafeString:
        """The words, escaped, marked where they are in another language than the page."""
        if self.language == get_language():
            return SafeString(escape(self.words))
        return format_html("<bdi {}>{}</bdi>", self.attributes, self.words)


def site_languages() -> list[Language]:
    """All languages of raters' pages, the site's own first."""
    codes = [code for code, _ in settings.LANGUAGES]
    return [language(code) for code in sorted(codes, key=lambda code: code != settings.CONCORD_LANGUAGE)]


def name_of_tag(tag: str) -> str:
    """A language for staff to read: Arabic (ar); the tag alone where it has no name here."""
    try:
        return f"{get_language_info(tag.lower())['name']} ({tag})"
    except KeyError:
        return tag


@lru_cache(200)
def language(code: str) -> Language:
    info = get_language_info(code)
    return Language(code, info["name_local"], info["name"], direction(code))


def direction(code: str) -> str:
    """How it is written: "rtl" or "ltr"; "auto", seen from the words, where nobody named a known language."""
    try:
        return "rtl" if code and get_language_info(code)["bidi"] else "ltr" if code else "auto"
    except KeyError:
        return "auto"


@lru_cache(200)
def text_attributes(code: str) -> SafeString:
    """`lang` and `dir` for a text in this language; an empty `lang` says that it is not the page's."""
    return format_html('lang="{}" dir="{}"', code, direction(code))


def preferred_language(request: HttpRequest, offered: Sequence[str]) -> str:
    """The offered language that a visitor chose, or their browser asks for; else the first."""
    chosen = request.COOKIES.get(COOKIE, "")
    if chosen in offered:
        return chosen
    for wanted, _ in parse_accept_lang_header(request.headers.get("Accept-Language", "").lower()):
        general = wanted.split("-", maxsplit=1)[0]  # ar for ar-eg
        if match := [code for code in offered if code in {wanted, general}]:
            return match[0]
    return offered[0]
