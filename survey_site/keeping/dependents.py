"""What goes with a report, batch, corpus or study, table by table, and what has to go before it.

The rows of a thing stand in the order in which they are deleted, those that refer to others first. The same
lists are counted on the page, written into the audit log and deleted, so that none tells another story.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse

from survey_site.accounts.audit import audit_entries
from survey_site.batches.models import Batch, Item, PrimaryDeclaration, Questionnaire, Translation
from survey_site.batches.states import AssignmentState
from survey_site.common.digest import digest
from survey_site.corpus.models import Corpus, Document, Reader, Reference, Summary, System
from survey_site.keeping.things import Thing
from survey_site.model_raters.models import ModelRating, ModelRun, RunReplies
from survey_site.notices.models import Delivery, Look, Notice, NoticeKind, Reading
from survey_site.quality.models import (
    Exclusion,
    Freezing,
    FrozenRating,
    KeptFindings,
    PanelEvent,
    Snapshot,
    SnapshotCheck,
)
from survey_site.reports.models import KeptBundle, KeptBundlePiece, KeptPdf, Report
from survey_site.scoring.jobs import is_at_work
from survey_site.scoring.models import GivenDistances, RatingSet, RatingSetPart, ScoreRun, ScoreShard
from survey_site.studies.models import Study
from survey_site.survey.models import (
    Assignment,
    AssignmentItem,
    BackgroundAnswer,
    Consent,
    ConsentText,
    ExamplePair,
    Mark,
    Participation,
    Rater,
    Rating,
    RatingHistory,
)
from survey_site.uploads.models import Upload
from survey_site.webhooks.models import Attempt, Event
from survey_site.webhooks.models import Delivery as Sending

Rows = QuerySet[Any]


@dataclass(frozen=True)
class Gone:
    """Rows of one table; `word` is what people call them, empty for rows that nobody would count."""

    word: str
    rows: Rows


@dataclass(frozen=True)
class Obstacle:
    """Why something cannot be deleted now, what to do, and where: labels and addresses."""

    why: str
    action: str
    links: tuple[tuple[str, str], ...] = ()


def rows_of(thing: Thing) -> list[Gone]:
    """All rows that go with it, its own the last but for copies of ratings that it alone used."""
    if isinstance(thing, Report):
        return list(_rows_of_report(thing))
    if isinstance(thing, Study):
        return [Gone("", Study.objects.filter(pk=thing.pk))]
    return list(_rows_of_batch(thing) if isinstance(thing, Batch) else _rows_of_corpus(thing))


def counted(thing: Thing) -> dict[str, int]:
    """How many of what go with it, by what people call them; nothing of what there is none of."""
    counts = {one.word: one.rows.count() for one in rows_of(thing) if one.word}
    if isinstance(thing, Report):
        counts["kept drawings"] = len(thing.drawings)
    return {word: count for word, count in counts.items() if count}


def fingerprint(thing: Thing) -> str:
    """Changes with what goes, so that nobody deletes more than they were shown."""
    return digest(counted(thing))[:16]


def hashes_of(thing: Thing) -> dict[str, str]:
    """What the audit log keeps of it, so that a file somebody holds can still be told to be of it."""
    if isinstance(thing, Corpus):
        return {"content": thing.content_hash}
    if isinstance(thing, Study):
        return {"files": thing.content_hash}
    if isinstance(thing, Report):
        kept = {"batch": thing.batch.name, "inputs": thing.key}
        kept |= {"ratings": thing.rating_set.content_hash} if thing.rating_set else {}
        return kept | ({"result": digest(thing.result)} if thing.result else {})
    snapshot = Snapshot.objects.filter(batch=thing).first()
    upload = Upload.objects.filter(batch=thing).first()
    return {
        "corpus": thing.corpus.content_hash,
        **({"snapshot": snapshot.content_hash} if snapshot else {}),
        **({"uploaded file": upload.content_hash} if upload else {}),
    }


def obstacles(thing: Thing, *, now: datetime) -> list[Obstacle]:
    """All that stands in the way; deleting refuses while there is any."""
    if isinstance(thing, Report):
        return list(_obstacles_of_report(thing, now))
    if isinstance(thing, Study):
        return []
    return list(
        _obstacles_of_batch(thing, now) if isinstance(thing, Batch) else _obstacles_of_corpus(thing, now)
    )


def taken_away(thing: Thing) -> dict[str, int]:
    """How often files and sealed bundles of a report were downloaded: they outlive it, elsewhere."""
    if not isinstance(thing, Report):
        return {}
    entries = audit_entries(subject=("batches.batch", thing.batch_id))
    files = entries.filter(action="report exported", detail__report=thing.pk)
    bundles = entries.filter(detail__holds__startswith=f"sealed bundle of report {thing.pk},")
    counts = {"downloads of files": files.count(), "sealed bundles": bundles.count()}
    return {word: count for word, count in counts.items() if count}


def _rows_of_report(report: Report) -> Iterator[Gone]:
    """Ratings and human scores too, unless another report rests on them; automatic ones are the corpus'."""
    yield from _rows_of_notices(notices_of(report))
    yield Gone("", Report.runs.through._default_manager.filter(report=report))
    yield Gone("", Report.model_runs.through._default_manager.filter(report=report))
    yield Gone("", KeptPdf.objects.filter(report=report))
    yield Gone("", KeptBundlePiece.objects.filter(bundle__report=report))
    yield Gone("", KeptBundle.objects.filter(report=report))
    yield Gone("", Report.objects.filter(pk=report.pk))
    ratings = report.rating_set_id
    if ratings is not None and _is_last_on_its_ratings(report):
        yield Gone("", ScoreShard.objects.filter(run__rating_set=ratings))
        yield Gone("human scores", ScoreRun.objects.filter(rating_set=ratings))
        yield Gone("", RatingSetPart.objects.filter(rating_set=ratings))
        yield Gone("copies of the ratings", RatingSet.objects.filter(pk=ratings))


def _is_last_on_its_ratings(report: Report) -> bool:
    """Not of one whose ratings nobody has read yet: it has none."""
    if report.rating_set_id is None:
        return False
    return not Report.objects.filter(rating_set=report.rating_set_id).exclude(pk=report.pk).exists()


def notices_of(thing: Batch | Report) -> "QuerySet[Notice]":
    """What staff are told of it; of a batch also what they are told of its reports and raters."""
    if isinstance(thing, Batch):
        return Notice.objects.filter(batch=thing)
    ends = (NoticeKind.READY, NoticeKind.FAILED)
    return Notice.objects.filter(batch=thing.batch_id, kind__in=ends, subject=str(thing.pk))


def _rows_of_notices(notices: "QuerySet[Notice]") -> Iterator[Gone]:
    """Nobody would count them: they tell staff of what is deleted with them."""
    yield Gone("", Reading.objects.filter(notice__in=notices))
    yield Gone("", Delivery.objects.filter(notice__in=notices))
    yield Gone("", notices)


def _rows_of_batch(batch: Batch) -> Iterator[Gone]:
    yield from _rows_of_notices(notices_of(batch))
    yield Gone("", Look.objects.filter(batch=batch))
    yield Gone("", Attempt.objects.filter(delivery__event__batch=batch))
    yield Gone("", Sending.objects.filter(event__batch=batch))
    yield Gone("", Event.objects.filter(batch=batch))
    yield Gone("", PanelEvent.objects.filter(batch=batch))
    yield Gone("", KeptFindings.objects.filter(batch=batch))
    yield Gone("", Freezing.objects.filter(batch=batch))
    yield Gone("", SnapshotCheck.objects.filter(snapshot__batch=batch))
    page = "assignment__questionnaire__batch"
    yield Gone("", RatingHistory.objects.filter(**{f"assignment_item__{page}": batch}))
    yield Gone(
        "marks of pairs that could not be judged", Mark.objects.filter(**{f"assignment_item__{page}": batch})
    )
    yield Gone("ratings", Rating.objects.filter(**{f"assignment_item__{page}": batch}))
    yield Gone("", AssignmentItem.objects.filter(**{page: batch}))
    excluded = Q(rater__batch=batch) | Q(assignment__questionnaire__batch=batch)
    yield Gone("exclusions", Exclusion.objects.filter(excluded))
    yield Gone("pages handed out to raters", Assignment.objects.filter(questionnaire__batch=batch))
    yield Gone("consents", Consent.objects.filter(rater__batch=batch))
    yield Gone("answers of raters about themselves", BackgroundAnswer.objects.filter(rater__batch=batch))
    yield Gone("raters", Rater.objects.filter(batch=batch))
    yield Gone("consent texts", ConsentText.objects.filter(batch=batch))
    yield Gone("worked examples", ExamplePair.objects.filter(batch=batch))
    yield Gone("", Participation.objects.filter(batch=batch))
    yield Gone("frozen ratings", FrozenRating.objects.filter(snapshot__batch=batch))
    yield Gone("snapshots", Snapshot.objects.filter(batch=batch))
    yield Gone("ratings of language models", ModelRating.objects.filter(run__batch=batch))
    yield Gone("", RunReplies.objects.filter(run__batch=batch))
    yield Gone("runs of language models", ModelRun.objects.filter(batch=batch))
    yield Gone("", ScoreShard.objects.filter(run__batch=batch))
    yield Gone("human scores", ScoreRun.objects.filter(batch=batch))
    yield Gone("", RatingSetPart.objects.filter(rating_set__batch=batch))
    yield Gone("copies of the ratings", RatingSet.objects.filter(batch=batch))
    yield Gone("records of an uploaded file", Upload.objects.filter(batch=batch))
    yield Gone("translations", Translation.objects.filter(batch=batch))
    yield Gone("declared primary coefficients", PrimaryDeclaration.objects.filter(batch=batch))
    yield Gone("", Item.objects.filter(questionnaire__batch=batch))
    yield Gone("questionnaires", Questionnaire.objects.filter(batch=batch))
    yield Gone("", Batch.systems.through._default_manager.filter(batch=batch))
    yield Gone("", Batch.objects.filter(pk=batch.pk))


def _rows_of_corpus(corpus: Corpus) -> Iterator[Gone]:
    yield Gone("summaries", Summary.objects.filter(document__corpus=corpus))
    yield Gone("gold references", Reference.objects.filter(document__corpus=corpus))
    yield Gone("documents", Document.objects.filter(corpus=corpus))
    yield Gone("readers", Reader.objects.filter(corpus=corpus))
    yield Gone("systems", System.objects.filter(corpus=corpus))
    yield Gone("", ScoreShard.objects.filter(run__corpus=corpus))
    yield Gone("computed scores", ScoreRun.objects.filter(corpus=corpus))
    yield Gone("distances from outside", GivenDistances.objects.filter(corpus=corpus))
    yield Gone("", Corpus.objects.filter(pk=corpus.pk))


def _obstacles_of_report(report: Report, now: datetime) -> Iterator[Obstacle]:
    if is_at_work(report, now=now):
        yield Obstacle("It is being built at this moment.", "Wait until it is done.", _links([report]))
        return
    if _is_last_on_its_ratings(report):
        yield from _runs_at_work(ScoreRun.objects.filter(rating_set=report.rating_set_id), now)


def _obstacles_of_batch(batch: Batch, now: datetime) -> Iterator[Obstacle]:
    if batch.is_draft:
        link = (("Delete the draft", reverse("batches:delete", args=[batch.pk])),)
        yield Obstacle("It is a draft, which goes without all this.", "Delete the draft.", link)
    if batch.is_live:
        link = (("Close the batch", reverse("batches:close", args=[batch.pk])),)
        yield Obstacle("It is live: people may be rating.", "Close it first.", link)
    reports = Report.objects.filter(batch=batch).defer("result", "survey", "drawings").order_by("pk")
    if found := list(reports):
        yield Obstacle("Reports rest on it.", "Delete these reports first.", _links(found))
    claims = Assignment.objects.filter(
        questionnaire__batch=batch, state=AssignmentState.OPEN, expires_at__gt=now
    )
    if last := claims.order_by("-expires_at").first():
        yield Obstacle(
            f"{claims.count()} of its questionnaires may still be finished by people who have begun them.",
            f"Wait until {last.expires_at:%d %B %Y, %H:%M} UTC, when the last of them is over.",
        )
    if any(is_at_work(one, now=now) for one in Freezing.objects.filter(batch=batch)):
        yield Obstacle("It is being frozen at this moment.", "Wait until it is done.")
    yield from _runs_at_work(ScoreRun.objects.filter(batch=batch), now)
    asking = [run for run in ModelRun.objects.filter(batch=batch) if is_at_work(run, now=now)]
    if asking:
        said = "A language model is rating it at this moment."
        yield Obstacle(said, "Wait until it is done, or cancel it.", _links(asking))


def _obstacles_of_corpus(corpus: Corpus, now: datetime) -> Iterator[Obstacle]:
    if batches := list(corpus.batches.order_by("pk")):
        yield Obstacle("Batches use it.", "Delete these batches first.", _links(batches))
    yield from _runs_at_work(ScoreRun.objects.filter(corpus=corpus), now)


def _runs_at_work(runs: "QuerySet[ScoreRun]", now: datetime) -> Iterator[Obstacle]:
    if any(is_at_work(run, now=now) for run in runs.defer("records", "signature")):
        yield Obstacle("Scores of it are being computed at this moment.", "Wait until they are done.")


def _links(things: Sequence[Thing | ModelRun]) -> tuple[tuple[str, str], ...]:
    return tuple((str(one), one.get_absolute_url()) for one in things)
