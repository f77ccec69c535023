"""How people take part in a batch of a site, and what they agree to."""

from dataclasses import dataclass
from typing import Any, Literal, Unpack

from meta_eval.client.records import Bound, asked
from meta_eval.client.sending import Call
from meta_eval.client.wishes import ParticipationFields, TextFields


@dataclass(frozen=True, kw_only=True)
class Participation(Bound):
    """The settings of *Taking part*; `invitations`: how many personal links there are."""

    entry: str
    panel_parameter: str
    limit: int | None
    researchers: str
    contact: str
    approval: str
    kept_for: str
    asks_name: bool
    practice: bool
    questions: list[str]
    fields_of_study: str
    age_bands: str
    completed_code: str
    no_place_code: str
    partial_code: str
    failed_code: str
    failed_controls: int | None
    return_address: str
    invitations: int


@dataclass(frozen=True, kw_only=True)
class Consent:
    """What people agree to who read a page in `language`; `written_in` is the language of the text."""

    language: str
    version: int
    written_in: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Consents(Bound):
    """What people agree to, in each language of a batch."""

    texts: list[Consent]


@dataclass(frozen=True, kw_only=True)
class PanelChoice:
    """A panel that a draft can be set up for; `hint`: what is left to be done there."""

    panel: str
    name: str
    hint: str


@dataclass(frozen=True, kw_only=True)
class Panels(Bound):
    """`address`: the one to give to whoever sends people."""

    address: str
    panels: list[PanelChoice]


@dataclass(frozen=True, kw_only=True)
class PersonalLink:
    """Whoever holds the link is that person."""

    number: int
    link: str


@dataclass(frozen=True, kw_only=True)
class _PersonalLinks:
    links: list[PersonalLink]


@dataclass(frozen=True, kw_only=True)
class _LinksMade:
    invitations: int


@dataclass(frozen=True, kw_only=True)
class Texts(Bound):
    """What raters read in one language; `missing`: what they read in the batch's own language instead."""

    language: str
    wording: dict[str, str]
    examples: list[dict[str, Any]]
    practice: list[dict[str, Any]]
    missing: list[str]


class TakesPart(Bound):
    """A record of a batch, in which people take part."""

    id: int

    def participation(self) -> Participation:
        """How people take part."""
        return asked(self._site, Participation, Call(operation="read_participation", at={"id": self.id}))

    def change_participation(
        self, seen: Participation | None = None, **changed: Unpack[ParticipationFields]
    ) -> Participation:
        """Change a draft's settings; what is left out stays.

        seen: as it was read; ChangedError where somebody has changed it since. Raises ConflictError for a
        launched batch, InvalidError.
        """
        tag = seen._tag if seen else None
        call = Call(operation="change_participation", at={"id": self.id}, json=changed, tag=tag)
        return asked(self._site, Participation, call)

    def consent(self) -> Consents:
        """What people agree to, in each language."""
        return asked(self._site, Consents, Call(operation="read_consent", at={"id": self.id}))

    def write_consent(
        self, text: str, *, language: str | None = None, seen: Consents | None = None
    ) -> Consents:
        """Write what people agree to; whoever joins from then on reads it, in a running batch too."""
        sent = {"text": text} if language is None else {"text": text, "language": language}
        tag = seen._tag if seen else None
        call = Call(operation="write_consent", at={"id": self.id}, json=sent, tag=tag)
        return asked(self._site, Consents, call)

    def panel(self) -> Panels:
        """The address of the study, and the panels that a draft can be set up for."""
        return asked(self._site, Panels, Call(operation="read_panel", at={"id": self.id}))

    def set_up_panel(
        self, panel: Literal["prolific", "cloudresearch", "plain"], *, seen: Participation | None = None
    ) -> Participation:
        """Set a draft up for a panel; codes and a limit that are set already stay.

        Raises ConflictError for a launched batch.
        """
        tag = seen._tag if seen else None
        call = Call(operation="set_up_panel", at={"id": self.id}, json={"panel": panel}, tag=tag)
        return asked(self._site, Participation, call)

    def personal_links(self) -> list[PersonalLink]:
        """All personal links. The site writes down who takes them."""
        call = Call(operation="read_personal_links", at={"id": self.id})
        return self._site.read(_PersonalLinks, call).links

    def make_personal_links(self, count: int, *, key: str | None = None) -> int:
        """Make so many more personal links; how many there are then. ConflictError for a closed batch."""
        call = Call(operation="make_personal_links", at={"id": self.id}, json={"count": count}, key=key)
        return self._site.read(_LinksMade, call).invitations

    def texts(self, language: str) -> Texts:
        """What raters read in a language that the batch offers."""
        return asked(self._site, Texts, Call(operation="read_texts", at=self._in(language)))

    def change_texts(
        self, language: str, *, seen: Texts | None = None, **changed: Unpack[TextFields]
    ) -> Texts:
        """Change what raters of a draft read in one language; what is left out stays.

        Raises ConflictError for a launched batch, InvalidError.
        """
        tag = seen._tag if seen else None
        call = Call(operation="change_texts", at=self._in(language), json=changed, tag=tag)
        return asked(self._site, Texts, call)

    def _in(self, language: str) -> dict[str, Any]:
        return {"id": self.id, "language": language}
