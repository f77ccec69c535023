"""Projects of a site: whose they are, and who is of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from meta_eval.client.records import Bound, asked
from meta_eval.client.sending import Call


@dataclass(frozen=True, kw_only=True)
class Member:
    """An account that is of a project."""

    username: str
    role: str
    is_active: bool


@dataclass(frozen=True, kw_only=True)
class Project(Bound):
    """A team's corpora, with all that rests on them."""

    id: int
    name: str
    created_at: datetime

    def rename(self, name: str, *, only_if_unchanged: bool = False) -> "Project":
        """Raises InvalidError for a name that is taken. For admins."""
        tag = self._tag if only_if_unchanged else None
        call = Call(operation="rename_project", at={"id": self.id}, json={"name": name}, tag=tag)
        return asked(self._site, Project, call)

    def delete(self, *, only_if_unchanged: bool = False) -> None:
        """End it. Raises ConflictError where it holds a corpus or a study. For admins."""
        tag = self._tag if only_if_unchanged else None
        self._site.ask(Call(operation="delete_project", at={"id": self.id}, tag=tag))

    def members(self) -> Iterator[Member]:
        """Who is of it; admins see every project without being of any."""
        return self._site.pages(Member, Call(operation="list_members", at={"id": self.id}))

    def add_member(self, username: str, *, key: str | None = None) -> Member:
        """From their next request on they see the project. Raises InvalidError for no open account."""
        sent = {"username": username}
        return self._site.read(Member, Call(operation="add_member", at={"id": self.id}, json=sent, key=key))

    def remove_member(self, username: str) -> None:
        """From their next request on they see nothing of it."""
        self._site.ask(Call(operation="remove_member", at={"id": self.id, "username": username}))
