"""What narrows and orders the list of batches."""

from django import forms
from django.db.models import Q, QuerySet

from survey_site.batches.models import Batch
from survey_site.batches.queries import LIVE_FIRST, batch_list
from survey_site.batches.states import BatchStatus

NEWEST = ("-created_at", "-pk")
ORDERS = {
    "newest": ("Newest first", NEWEST),
    "oldest": ("Oldest first", ("created_at", "pk")),
    "name": ("By name", ("name", *NEWEST)),
    "state": ("Live first", (LIVE_FIRST, *NEWEST)),
}
STATES = {
    **{value: (label, Q(status=value)) for value, label in BatchStatus.choices},
    "paused": ("Paused", Q(status=BatchStatus.LIVE, paused_at__isnull=False)),
    "frozen": ("Frozen", Q(frozen_at__isnull=False)),
}


class BatchFilter(forms.Form):
    """All of it is optional; what makes no sense narrows nothing."""

    q = forms.CharField(label="Name or corpus", max_length=200, required=False)
    state = forms.ChoiceField(
        choices=[("", "Every state"), *((key, label) for key, (label, _) in STATES.items())], required=False
    )
    sort = forms.ChoiceField(
        label="Order", choices=[(key, label) for key, (label, _) in ORDERS.items()], required=False
    )

    @property
    def narrows(self) -> bool:
        return bool(self.is_valid() and (self.cleaned_data["q"] or self.cleaned_data["state"]))

    def batches(self) -> "QuerySet[Batch]":
        found = batch_list().select_related("upload")
        if not self.is_valid():
            return found
        words, state, sort = (self.cleaned_data[name] for name in ("q", "state", "sort"))
        if words:
            found = found.filter(Q(name__icontains=words) | Q(corpus__name__icontains=words))
        if state:
            found = found.filter(STATES[state][1])
        return found.order_by(*ORDERS[sort or "newest"][1])
