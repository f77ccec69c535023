"""What narrows and orders the list of reports."""

from django.db.models import Q

from survey_site.common.list_filter import NEWEST, NEWEST_FIRST, ListFilter
from survey_site.scoring.models import JobStatus


class ReportFilter(ListFilter):
    searched = "Batch or corpus"
    words = ("batch__name", "batch__corpus__name")
    states = {value: (label, Q(status=value)) for value, label in JobStatus.choices}
    orders = {**NEWEST_FIRST, "batch": ("By batch", ("batch__name", *NEWEST))}
