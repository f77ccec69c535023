"""What a script reads of a page: its forms, as a browser would send them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

PREFIX = "rating-"


@dataclass
class PageForm:
    """One form. fields: what it sends whatever the rater does; choices: radio groups and what is checked.

    of_scripts: what it sends where the page's scripts run, which enable these fields.
    is_open: of a button that starts, whether it leads to a questionnaire that is open already.
    """

    action: str
    rate_url: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    of_scripts: dict[str, str] = field(default_factory=dict)
    choices: dict[str, str | None] = field(default_factory=dict)
    is_open: bool = False

    @property
    def values(self) -> dict[str, int | None]:
        """Item code -> the value shown, in page order."""
        return {
            name.removeprefix(PREFIX): int(value) if value else None
            for name, value in self.choices.items()
            if name.startswith(PREFIX)
        }


def read_forms(html: str) -> list[PageForm]:
    """The forms of a page, in its order."""
    reader = _FormReader()
    reader.feed(html)
    return reader.forms


def find_form(html: str, suffix: str) -> PageForm | None:
    """The form that is sent to an address with this end."""
    return next((form for form in read_forms(html) if form.action.endswith(suffix)), None)


class _FormReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[PageForm] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            address, rate_url = given.get("action", ""), given.get("data-rate-url", "")
            self.forms.append(PageForm(address, rate_url, is_open="data-open" in given))
            self._inside = True
        elif tag == "input" and self._inside and "name" in given:
            self._read_input(given)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False

    def _read_input(self, given: dict[str, str]) -> None:
        name, value = given["name"], given.get("value", "")
        form = self.forms[-1]
        if given.get("type") != "radio":
            (form.of_scripts if "disabled" in given else form.fields)[name] = value
        elif "checked" in given:
            form.choices[name] = value
        else:
            form.choices.setdefault(name, None)
