"""What a check of a bundle found."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

Outcome = Literal["sound", "differs", "incomplete"]

_NAMED = 3
"""So many places are named in a line; all are in `Verification.not_recomputed`."""
_LONGEST = 120
"""So many characters of a value stand in a line."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """A file that is not as it was sealed, and how."""

    file: str
    problem: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that the bundle's own data do not give: `tolerance` is relative, None for words."""

    path: str
    stored: Any
    recomputed: Any
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class NotRecomputed:
    """Values below `path`, `numbers` of them, that could not be checked, and why."""

    path: str
    why: str
    numbers: int


@dataclass(frozen=True, slots=True)
class Stated:
    """What nothing in the bundle can show, such as what people wrote: `what` it says, and where."""

    path: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The outcome: `verified` counts the numbers that were recomputed and agree.

    `seal` is that of the files as they are now. `stated` is what no data here can show. `notes` say what
    differs without being wrong, as other versions of libraries. `older` is the version of the report's form
    where it is not today's: its numbers are set against those that this version computes.
    """

    seal: str
    files: tuple[FileFault, ...]
    differences: tuple[Difference, ...]
    not_recomputed: tuple[NotRecomputed, ...]
    verified: int
    stated: tuple[Stated, ...] = ()
    notes: tuple[str, ...] = ()
    older: int | None = None

    @property
    def outcome(self) -> Outcome:
        """Whether all was computed again and is equal, something differs, or something is left open."""
        if self.files or self.differences:
            return "differs"
        return "incomplete" if self.not_recomputed or self.older is not None else "sound"

    @property
    def is_sound(self) -> bool:
        """Whether every number was computed again and is equal, and no file differs."""
        return self.outcome == "sound"

    @property
    def first_line(self) -> str:
        """The outcome in a sentence, with the first thing that is wrong or open."""
        if self.files:
            return f"DIFFERS: {self.files[0].file} {self.files[0].problem}."
        if self.differences:
            return self._in_words(self.differences[0])
        numbers = sum(skipped.numbers for skipped in self.not_recomputed)
        if self.not_recomputed:
            why = self.not_recomputed[0].why
            return f"Incomplete: {numbers} numbers of the report could not be computed again ({why})."
        if self.older is not None:
            return (
                f"Incomplete: the report is of version {self.older}; its {self.verified} numbers are as this "
                "version computes them."
            )
        return f"Sound: the answer and all {self.verified} numbers were computed again."

    def as_dict(self) -> dict[str, Any]:
        """The outcome ready for JSON."""
        return {"outcome": self.outcome, "is_sound": self.is_sound, **asdict(self)}

    def lines(self) -> Iterator[str]:
        """The outcome in words: each difference, what is open, what is stated, and the seal."""
        yield self.first_line
        for fault in self.files[1:]:
            yield f"DIFFERS: {fault.file} {fault.problem}."
        for found in self.differences[0 if self.files else 1 :]:
            yield self._in_words(found)
        for why in dict.fromkeys(skipped.why for skipped in self.not_recomputed):
            alike = [skipped for skipped in self.not_recomputed if skipped.why == why]
            numbers = sum(skipped.numbers for skipped in alike)
            yield f"NOT RECOMPUTED {_places(one.path for one in alike)} ({numbers} numbers): {why}"
        for what in dict.fromkeys(one.what for one in self.stated):
            places = dict.fromkeys(one.path for one in self.stated if one.what == what)
            yield f"Stated, not checked: {', '.join(places)}: {what}"
        for note in self.notes:
            yield f"Note: {note}"
        yield f"Seal {self.seal}"
        yield self._summary()

    def _in_words(self, found: Difference) -> str:
        give = "the data give" if self.older is None else "as this version computes it:"
        return f"DIFFERS: {found.path} says {_short(found.stored)}, {give} {_short(found.recomputed)}."

    def _summary(self) -> str:
        open_numbers = sum(skipped.numbers for skipped in self.not_recomputed)
        return (
            f"{self.verified} numbers recomputed and equal, {len(self.differences)} values differ, "
            f"{open_numbers} numbers not recomputed, {len(self.files)} files not as sealed."
        )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _places(paths: Iterable[str]) -> str:
    """The places by name while they are few."""
    named = list(dict.fromkeys(paths))
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"{', '.join(named[:_NAMED])}{more}"
