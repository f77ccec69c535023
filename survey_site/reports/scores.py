"""The scores of a report as the site keeps them: runs, computed where they are missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db.models import Q, QuerySet

from meta_eval.arrays import Progress
from meta_eval.corpus import documents as values
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import MetaEvalError
from meta_eval.ratings.of_models import ModelTable
from meta_eval.ratings.rating import Rating
from meta_eval.report.building import ReportProgress
from meta_eval.report.inference.attempts import InferenceProgress
from meta_eval.report.inference.stand_in import StandInOptions
from meta_eval.report.options import InferenceOptions, Part, ReportOptions
from meta_eval.report.schema.stand_in import MIXED
from meta_eval.report.sources import PartScores
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores
from meta_eval.stats.raters.alternative import EPSILON
from survey_site.reports.beside import judged_run, rated_by_models
from survey_site.reports.models import Report
from survey_site.scoring import adapters, jobs
from survey_site.scoring.models import JobStatus, RatingSet, RunKind, ScoreRun
from survey_site.scoring.parts.joining import LeftToOthersError, gave_way, may_join
from survey_site.scoring.parts.services import allow_again
from survey_site.scoring.parts.waking import wake_joiner
from survey_site.scoring.services import compute_run, request_automatic, request_human, score_people
from survey_site.scoring.storage import distance_store, load_contributions

if TYPE_CHECKING:
    from meta_eval.report.inference.judging import Judge


class RunFailedError(MetaEvalError):
    """A run that could not be computed; the message is the reason that its row holds."""


@dataclass(frozen=True, slots=True)
class StoredScores:
    """The runs of a report by part; in place of a run that could not be requested, why."""

    corpus: values.Corpus
    rating_set: RatingSet
    store: DistanceStore
    runs: Mapping[Part, ScoreRun | MetaEvalError]
    progress: ReportProgress | None
    clock: jobs.Clock
    models: Sequence[ModelTable] = ()
    judge: "Judge | None" = None
    asked_at: datetime | None = None
    begun: dict[Part, tuple[ScoreRun, HumanScores | None]] = field(default_factory=dict)

    @classmethod
    def request(
        cls, report: Report, corpus: values.Corpus, *, progress: ReportProgress | None, clock: jobs.Clock
    ) -> "StoredScores":
        """Request the runs of all parts and keep them with the report.

        Only here, where the work is done: a measure may need a model that other machines do not have.
        """
        runs: dict[Part, ScoreRun | MetaEvalError] = {}
        for kind, spec in report.parts:
            try:
                run = _request_run(report, kind, spec, clock())
                allow_again(run, asked_at=report.waits_since)
                runs[kind, spec] = run
            except MetaEvalError as error:
                runs[kind, spec] = error
        report.runs.set([run for run in runs.values() if isinstance(run, ScoreRun)])
        judged = judged_run(report, corpus)
        return cls(
            corpus,
            report.ratings,
            distance_store(),
            runs,
            progress,
            clock,
            models=rated_by_models(report),
            judge=judged.judging if judged else None,
            asked_at=report.waits_since,
        )

    def compute_or_leave(self) -> None:
        """Compute all runs whose parts this process may compute.

        Raises LeftToOthersError where parts of some are for other workers, who then have these joined, or
        for later messages: then other work comes first, and none of the other runs is begun before it.
        """
        left = False
        for part, requested in self.runs.items():
            if isinstance(requested, MetaEvalError):
                continue
            if self._failed_for_this(requested):
                self.begun[part] = requested, None
                continue
            run, scores = self._compute(requested, may_leave=True)
            self.begun[part] = run, scores if isinstance(scores, HumanScores) else None
            if run.is_waiting and run.waits_for_parts:
                wake_joiner(run)
                left = True
                if gave_way(run):
                    break
        if left:
            raise LeftToOthersError

    def _failed_for_this(self, run: ScoreRun) -> bool:
        """Whether it was tried for this report, or cancelled since: to try again would have no end."""
        asked, ended = self.asked_at, run.finished_at
        return run.is_failed and asked is not None and ended is not None and ended >= asked

    @property
    def ratings(self) -> Sequence[Rating]:
        return adapters.ratings_of(self.rating_set)

    def automatic(self, spec: str, _progress: Progress | None) -> PartScores[Contributions]:
        """The scores of a run, which is computed unless it is done."""
        run, _ = self._computed(RunKind.AUTOMATIC, spec)
        return PartScores(run.records, partial(load_contributions, run.contributions))

    def human(self, spec: str, _progress: Progress | None) -> PartScores[HumanScores]:
        """The scores of a run, which is computed unless it is done; what is behind one that was done is made
        again from kept distances."""
        run, computed = self._computed(RunKind.HUMAN, spec)
        if isinstance(computed, HumanScores):
            return PartScores(run.records, lambda: computed)
        return PartScores(run.records, partial(score_people, run, self.corpus))

    def _computed(self, kind: RunKind, spec: str) -> tuple[ScoreRun, object]:
        requested = self.runs[kind, spec]
        if isinstance(requested, MetaEvalError):
            raise requested
        begun = self.begun.pop((kind, spec), None)
        run, computed = begun or self._compute(requested)
        if run.is_failed:
            raise RunFailedError(run.error)
        return run, computed

    def _compute(self, run: ScoreRun, *, may_leave: bool = False) -> tuple[ScoreRun, object]:
        return compute_run(
            run=run,
            corpus=self.corpus,
            progress=_of_run(run, self.progress),
            clock=self.clock,
            may_leave=may_leave,
        )


def _request_run(report: Report, kind: RunKind, spec: str, now: datetime) -> ScoreRun:
    options = report.options
    shared: dict[str, Any] = {
        "choice": adapters.MeasureChoice.of(spec, options),
        "normalise": options["normalise"],
        "options": ReportOptions.from_record(options).score_options,
        "now": now,
    }
    if kind == RunKind.AUTOMATIC:
        return request_automatic(corpus_row=report.batch.corpus, **shared)
    return request_human(rating_set=report.ratings, min_raters=options["min_raters"], **shared)


def _of_run(run: ScoreRun, progress: ReportProgress | None) -> Progress | None:
    if progress is None:
        return None
    progress(str(run), 0, 0)
    return lambda done, total: progress(str(run), done, total)


def waits_for_others(report: Report) -> bool:
    """Whether other workers compute parts of its scores, without which nothing can be done for it."""
    waiting = report.runs.filter(status=JobStatus.QUEUED, waits_for_parts=True)
    return not all(may_join(run) for run in waiting.defer("records", "signature"))


def report_waits(*, runs: "QuerySet[ScoreRun]", **_signal: object) -> bool:
    """Whether a report waits for a worker, or one of these runs, other than for a report that is under way.

    The runs of such a report are begun by who builds it, one after the other: nobody else waits for them.
    """
    if runs.exclude(reports__status__in=(JobStatus.QUEUED, JobStatus.RUNNING)).exists():
        return True
    under_way = ScoreRun.objects.filter(
        Q(status=JobStatus.RUNNING) | Q(status=JobStatus.QUEUED, waits_for_parts=True)
    )
    return Report.objects.filter(status=JobStatus.QUEUED).exclude(runs__in=under_way).exists()


def inference_options(report: Report) -> InferenceOptions:
    """What the statistics of a report were asked for."""
    return InferenceOptions.from_record(report.options)


def stand_in_options(report: Report) -> StandInOptions:
    """How the models of a report are set against people; older reports do not name it, and had it all."""
    asked = report.options
    return StandInOptions(epsilon=asked.get("epsilon", EPSILON), mixed=asked.get(MIXED, True))


def stored_progress(report: Report, progress: ReportProgress | None) -> InferenceProgress:
    """Progress into the row, and on to the caller."""

    def store(_part: str, done: int, total: int) -> None:
        report.inference_done, report.inference_total = done, total
        report.save(update_fields=["inference_done", "inference_total"])
        if progress:
            progress("statistics", done, total)

    return store
