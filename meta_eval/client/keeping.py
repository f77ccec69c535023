"""What is archived and deleted: batches, reports, corpora and studies."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Literal

from meta_eval.client.records import Bound, asked
from meta_eval.client.sending import Call

Kind = Literal["batch", "report", "corpus", "study"]


@dataclass(frozen=True, kw_only=True)
class Obstacle:
    """What stands in the way of deleting something, and what to do about it."""

    why: str
    action: str


@dataclass(frozen=True, kw_only=True)
class Kept(Bound):
    """A thing before it is deleted: `goes` counts what goes with it, `asked` is the name to confirm by."""

    kind: Kind
    id: int
    name: str
    archived_at: datetime | None
    asked: str
    goes: dict[str, int]
    taken_away: dict[str, int]
    obstacles: list[Obstacle]
    seen: str

    def archive(self, *, only_if_unchanged: bool = False) -> "Kept":
        """Leave it out of lists; everything in it can still be read.

        Raises ConflictError for a batch that is not closed.
        """
        return self._act("archive_thing", only_if_unchanged)

    def take_out(self, *, only_if_unchanged: bool = False) -> "Kept":
        """Show it in lists again."""
        return self._act("take_out_thing", only_if_unchanged)

    def delete(self, name: str) -> None:
        """Delete it with all that goes with it, for good. name: as in `asked`.

        Raises InvalidError for another name; ConflictError while something stands in the way, and where what
        goes has changed since this record was read.
        """
        query = {"name": name, "seen": self.seen}
        self._site.ask(Call(operation="delete_thing", at=self._at, query=query))

    @property
    def _at(self) -> dict[str, object]:
        return {"kind": self.kind, "id": self.id}

    def _act(self, operation: str, only_if_unchanged: bool) -> "Kept":
        tag = self._tag if only_if_unchanged else None
        return asked(self._site, Kept, Call(operation=operation, at=self._at, tag=tag))


class Keepable(Bound):
    """A record of something that can be archived and deleted."""

    kind_of_thing: ClassVar[Kind]
    id: int

    def kept(self) -> Kept:
        """What would be deleted with it, and what stands in the way; `kept().delete(name)` deletes it."""
        return asked(self._site, Kept, Call(operation="foresee_deletion", at=self._kept_at))

    def archive(self) -> Kept:
        """Leave it out of lists; everything in it can still be read."""
        return asked(self._site, Kept, Call(operation="archive_thing", at=self._kept_at))

    def take_out(self) -> Kept:
        """Show it in lists again."""
        return asked(self._site, Kept, Call(operation="take_out_thing", at=self._kept_at))

    @property
    def _kept_at(self) -> dict[str, object]:
        return {"kind": self.kind_of_thing, "id": self.id}
