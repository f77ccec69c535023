"""What narrows and orders a list of staff's pages: words, a state, the archive, an order."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from django import forms
from django.db.models import Case, Q, QuerySet

NEWEST = ("-created_at", "-pk")
NEWEST_FIRST: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "newest": ("Newest first", NEWEST),
    "oldest": ("Oldest first", ("created_at", "pk")),
}


ARCHIVE: Mapping[str, tuple[str, Q]] = {
    "": ("Hidden", Q(archived_at=None)),
    "only": ("Only these", Q(archived_at__isnull=False)),
    "with": ("Shown too", Q()),
}
"""What a list shows of the archive; what is archived is left out unless it is asked for."""


class ListFilter(forms.Form):
    """All of it is optional; what makes no sense narrows nothing.

    Each list says what is `searched`, in which columns `words` are looked for, and its `states` and `orders`
    by the name that stands in the address, with their titles; the first order holds where none is asked for.
    """

    searched: ClassVar[str]
    words: ClassVar[Sequence[str]]
    states: ClassVar[Mapping[str, tuple[str, Q]]] = {}
    orders: ClassVar[Mapping[str, tuple[str, Sequence[str | Case]]]]

    q = forms.CharField(max_length=200, required=False)
    state = forms.ChoiceField(required=False)
    archive = forms.ChoiceField(
        label="Archived",
        required=False,
        choices=[(key, title) for key, (title, _) in ARCHIVE.items()],
    )
    sort = forms.ChoiceField(label="Order", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["q"].label = self.searched
        states = [("", "Every state"), *((key, title) for key, (title, _) in self.states.items())]
        cast(forms.ChoiceField, self.fields["state"]).choices = states
        if not self.states:
            del self.fields["state"]
        orders = [(key, title) for key, (title, _) in self.orders.items()]
        cast(forms.ChoiceField, self.fields["sort"]).choices = orders

    @property
    def narrows(self) -> bool:
        return bool(
            self.is_valid() and any(self.cleaned_data.get(name) for name in ("q", "state", "archive"))
        )

    def narrow(self, rows: "QuerySet[Any]") -> "QuerySet[Any]":
        """Those of the rows that are asked for, in the order that is asked for."""
        asked = self.cleaned_data if self.is_valid() else {}
        if words := asked.get("q"):
            rows = rows.filter(Q.create([(f"{name}__icontains", words) for name in self.words], Q.OR))
        if state := asked.get("state"):
            rows = rows.filter(self.states[state][1])
        rows = rows.filter(ARCHIVE[asked.get("archive", "")][1])
        return rows.order_by(*self.orders[asked.get("sort") or next(iter(self.orders))][1])
