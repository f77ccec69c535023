"""What narrows and orders the list of batches."""

from django.db.models import Q

from survey_site.batches.queries import LIVE_FIRST
from survey_site.batches.states import BatchStatus
from survey_site.common.list_filter import NEWEST, NEWEST_FIRST, ListFilter


class BatchFilter(ListFilter):
    searched = "Name or corpus"
    words = ("name", "corpus__name")
    states = {
        **{value: (label, Q(status=value)) for value, label in BatchStatus.choices},
        "paused": ("Paused", Q(status=BatchStatus.LIVE, paused_at__isnull=False)),
        "frozen": ("Frozen", Q(frozen_at__isnull=False)),
    }
    orders = {
        **NEWEST_FIRST,
        "name": ("By name", ("name", *NEWEST)),
        "state": ("Live first", (LIVE_FIRST, *NEWEST)),
    }
