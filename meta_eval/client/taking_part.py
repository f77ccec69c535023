"""How people take part in a batch of a site, and what they agree to."""

from dataclasses import dataclass
from typing import Unpack

from meta_eval.client.records import Bound, asked
from meta_eval.client.sending import Call
from meta_eval.client.wishes import ParticipationFields


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
