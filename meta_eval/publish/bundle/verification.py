"""What a check of a bundle found."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

_NAMED = 3
"""So many places are named in a line; all are in `Verification.not_recomputed`."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """A file that is not as it was sealed, and how."""

    file: str
    problem: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A value of the report that its own data do not give: `tolerance` is relative, None for words."""

    path: str
    stored: Any
    recomputed: Any
    tolerance: float | None


@dataclass(frozen=True, slots=True)
class NotRecomputed:
    """Values below `path`, `numbers` of them, that could not be checked, and why."""

    path: str
    why: str
    numbers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The outcome: `verified` counts the numbers that were recomputed and agree.

    `seal` is that of the files as they are now. `notes` say what differs without being wrong, as other
    versions of libraries.
    """

    seal: str
    files: tuple[FileFault, ...]
    differences: tuple[Difference, ...]
    not_recomputed: tuple[NotRecomputed, ...]
    verified: int
    notes: tuple[str, ...] = ()

    @property
    def is_sound(self) -> bool:
        """No file and no number differs. What was not recomputed is not counted against the bundle."""
        return not self.files and not self.differences

    def as_dict(self) -> dict[str, Any]:
        """The outcome ready for JSON."""
        return {"is_sound": self.is_sound, **asdict(self)}

    def lines(self) -> Iterator[str]:
        """The outcome in words, one finding a line; what was not recomputed, one reason a line."""
        yield f"Seal {self.seal}"
        for fault in self.files:
            yield f"FILE {fault.file}: {fault.problem}"
        for found in self.differences:
            yield f"DIFFERS {found.path}: {found.stored!r} in the report, {found.recomputed!r} recomputed"
        for why in dict.fromkeys(skipped.why for skipped in self.not_recomputed):
            yield _skipped_line([skipped for skipped in self.not_recomputed if skipped.why == why])
        for note in self.notes:
            yield f"Note: {note}"
        yield self._summary()

    def _summary(self) -> str:
        open_numbers = sum(skipped.numbers for skipped in self.not_recomputed)
        return (
            f"{self.verified} numbers recomputed and equal, {len(self.differences)} values differ, "
            f"{open_numbers} numbers not recomputed, {len(self.files)} files not as sealed."
        )


def _skipped_line(alike: Sequence[NotRecomputed]) -> str:
    """What could not be checked for one reason: the places by name while they are few."""
    numbers = sum(skipped.numbers for skipped in alike)
    places = ", ".join(skipped.path for skipped in alike[:_NAMED])
    more = f" and {len(alike) - _NAMED} more" if len(alike) > _NAMED else ""
    return f"NOT RECOMPUTED {places}{more} ({numbers} numbers): {alike[0].why}"
