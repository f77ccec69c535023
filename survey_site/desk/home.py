"""The first page: where the work stands and what comes next. It looks at all apps, so it lies beside them."""

from dataclasses import dataclass
from typing import Literal

from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from survey_site.batches.models import Batch, scored_items
from survey_site.batches.queries import LIVE_FIRST, batch_list
from survey_site.batches.states import BatchStatus
from survey_site.corpus.models import Corpus
from survey_site.projects.access import listed
from survey_site.reports.models import Report
from survey_site.reports.queries import ListedReport, as_listed, report_list
from survey_site.survey.models import Rating

Step = Literal["import", "plan", "collect", "report"]
SHOWN = 6


@dataclass(frozen=True)
class Dashboard:
    """The numbers of the first page, and the step that is due."""

    corpora: int
    drafts: int
    live: int
    closed: int
    ratings: int
    reports: int

    @property
    def batches(self) -> int:
        return self.drafts + self.live + self.closed

    @property
    def next_step(self) -> Step:
        if not self.corpora:
            return "import"
        if not self.live + self.closed:
            return "plan"
        if self.live and not self.ratings:
            return "collect"
        return "collect" if self.reports and self.live else "report"


def read_dashboard(request: HttpRequest) -> Dashboard:
    """Of what this person sees and shows."""
    by_status = {
        status: Count("pk", filter=Q(status=value))
        for status, value in (
            ("drafts", BatchStatus.DRAFT),
            ("live", BatchStatus.LIVE),
            ("closed", BatchStatus.CLOSED),
        )
    }
    return Dashboard(
        corpora=listed(Corpus.objects.all(), request.user).count(),
        ratings=listed(Rating.objects.filter(scored_items("assignment_item__item")), request.user).count(),
        reports=listed(Report.objects.all(), request.user).count(),
        **listed(Batch.objects.all(), request.user).aggregate(**by_status),
    )


def open_batches(request: HttpRequest) -> "QuerySet[Batch]":
    """Live batches and then drafts, each the newest first: what runs is never pushed off by plans."""
    open_ones = listed(batch_list(), request.user).exclude(status=BatchStatus.CLOSED)
    return open_ones.order_by(LIVE_FIRST, "-created_at", "-pk")[:SHOWN]


def latest_launched(request: HttpRequest) -> Batch | None:
    """The batch that a first report would be about."""
    launched = Batch.objects.exclude(status=BatchStatus.DRAFT).filter(archived_at=None)
    return listed(launched, request.user).order_by("-launched_at").first()


def recent_reports(request: HttpRequest) -> list[ListedReport]:
    """The newest reports, as the list of reports has them."""
    reports = listed(report_list(), request.user).filter(archived_at=None).order_by("-created_at", "-pk")
    return [as_listed(report) for report in reports[:SHOWN]]


def home(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        return render(request, "desk/welcome.html")
    context = {
        "now": timezone.now(),
        "dashboard": read_dashboard(request),
        "batches": open_batches(request),
        "reports": recent_reports(request),
        "launched": latest_launched(request),
    }
    return render(request, "desk/home.html", context)
