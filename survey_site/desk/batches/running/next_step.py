"""The one thing that comes next in a batch, for the top of its page: the first of a list that applies."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from survey_site.batches.models import Batch
from survey_site.batches.queries import BatchPace, BatchProgress
from survey_site.common.moments import in_words
from survey_site.reports.models import Report
from survey_site.scoring.models import JobStatus
from survey_site.uploads.queries import upload_of


@dataclass(frozen=True)
class Step:
    """`label` names the button that leads to `address`; posts: it acts at once. Without a label there is
    nothing to press. For admins only, or for researchers too: others read what is due, and ask one.
    """

    title: str
    text: str
    label: str = ""
    address: str = ""
    posts: bool = False
    admins: bool = True
    researchers: bool = False
    urgent: bool = False


@dataclass(frozen=True)
class Situation:
    """What the next step depends on. flagged: raters whom a check flags and nobody has decided on; None while
    it is not computed."""

    batch: Batch
    progress: BatchProgress
    pace: BatchPace | None
    flagged: int | None
    now: datetime

    def page(self, name: str, place: str = "") -> str:
        return reverse(name, args=[self.batch.pk]) + place

    @property
    def complete(self) -> bool:
        return self.progress.is_complete

    @property
    def too_slow(self) -> bool:
        """Whether the time window ends before all is rated."""
        ends = self.pace.ends_at if self.pace else None
        return bool(ends and self.batch.closes_at and ends > self.batch.closes_at)


def next_step(situation: Situation) -> Step:
    """What comes next; that nothing does is said too."""
    if situation.batch.is_frozen:
        return _after_freezing(situation)
    steps = _closed_steps(situation) if situation.batch.is_closed else _live_steps(situation)
    return next(_flag_steps(situation), None) or next(steps)


def _flag_steps(now: Situation) -> Iterator[Step]:
    if now.flagged:
        whom = "1 rater is" if now.flagged == 1 else f"{now.flagged} raters are"
        yield Step(
            f"{whom} flagged: look at {'this one' if now.flagged == 1 else 'them'}",
            "Until somebody decides, their ratings count, and a report says so.",
            "Review raters",
            now.page("quality:detail", "#raters"),
            admins=False,
            urgent=True,
        )


def _live_steps(now: Situation) -> Iterator[Step]:
    batch = now.batch
    if now.complete:
        yield Step(
            "All is rated: close the batch",
            "Then freeze it, and build the report.",
            "Close …",
            now.page("batches:close"),
        )
    if batch.is_paused:
        yield Step(
            "The batch is paused",
            "Nothing is handed out. What is in progress may be finished.",
            "Resume",
            now.page("batches:resume"),
            posts=True,
        )
    if batch.is_over(now.now):
        text = "Nothing is handed out. Give it more time, or close it."
        yield Step("The time window has ended", text, "Give it more time …", now.page("batches:extend"))
    if batch.opens_at and batch.is_early(now.now):
        yield Step(
            f"It opens on {in_words(batch.opens_at)}",
            "Whoever comes earlier is told so.",
            "Change when it opens …",
            now.page("batches:extend", "#window-title"),
        )
    if now.too_slow:
        text = "At this pace, some questionnaires will not be rated in the time window."
        yield Step("Not all will be rated in time", text, "Give it more time …", now.page("batches:extend"))
    if not now.progress.raters:
        yield Step(
            "Nobody has joined yet: send the link",
            "See below how raters get in.",
            "Go to the link",
            "#link-title",
            admins=False,
        )
    yield Step("Raters are at work", "Nothing has to be done now.")


def _closed_steps(now: Situation) -> Iterator[Step]:
    if not now.progress.completions:
        yield Step("Nobody completed a questionnaire", "There is nothing to freeze or to report.")
    if now.flagged is None:
        yield Step(
            "Look at the quality of the ratings",
            "Freezing cannot be undone, so it comes after that.",
            "See the quality",
            now.page("quality:detail"),
            admins=False,
        )
    reports = Report.objects.filter(batch=now.batch).exclude(status=JobStatus.FAILED)
    if upload_of(now.batch) and not reports.exists():
        yield _report_step(now, "Read it first. What is to be published is frozen then, and reported anew.")
    title = "All is rated: freeze the batch" if now.complete else "Freeze the batch"
    text = "Do it before you build the report, which then cites exactly these ratings."
    yield Step(title, text, "Freeze …", now.page("quality:freeze"))


def _after_freezing(now: Situation) -> Step:
    since = Report.objects.filter(batch=now.batch, status=JobStatus.DONE, created_at__gte=now.batch.frozen_at)
    if report := since.order_by("-created_at").defer("result").first():
        text = "Nothing that counts changes any more."
        return Step(
            "The report can be read", text, "Read the report", report.get_absolute_url(), admins=False
        )
    return _report_step(now, "The batch is frozen, so the report can be cited.")


def _report_step(now: Situation, text: str) -> Step:
    return Step(
        "Build the report",
        text,
        "Report …",
        f"{reverse('reports:new')}?batch={now.batch.pk}",
        admins=False,
        researchers=True,
    )
