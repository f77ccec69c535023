"""What a program sends and gets when it changes batches, runs, reports, webhooks, and reads what there is."""

from io import StringIO
from typing import Any
from unittest.mock import patch

from django.conf import settings
from django.test import override_settings

from meta_eval.corpus.jsonl import write_jsonl
from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.demo.prompts import prompted_corpus
from survey_site.reports.bundles import kept as kept_bundles
from survey_site.scoring.models import JobStatus, ScoreRun
from tests.factories.api import Program
from tests.factories.batches import NOW, make_batch
from tests.factories.model_raters import MODEL, configured
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

Examples = dict[str, dict[str, Any]]
SECRET = "whsec_shown-once"


class Asked:
    """Asks, and keeps what was sent and came back by the name of the operation."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.examples: Examples = {}

    def __call__(self, operation: str, method: str, path: str, body: Any = None) -> Any:
        """The answer. Raises AssertionError for one that is a refusal: it is no example."""
        answer = self._program.ask(method, path, body)
        found = answer.json()
        if answer.status_code >= 300:
            raise AssertionError(f"{operation}: {found}")
        if "secret" in found:
            found["secret"] = SECRET
        self.examples[operation] = {**({"request": body} if body is not None else {}), "response": found}
        return found


def further_examples(program: Program, batch: Batch) -> Examples:
    """batch: a live one that is rated, with an exclusion, distances and an upload."""
    asked = Asked(program)
    _read(asked, batch)
    _change(asked, batch)
    _compute(asked, batch)
    _models(asked, batch)
    _webhooks(asked)
    _generated(asked, program, batch.corpus.project_id)
    return asked.examples


def _generated(asked: Asked, program: Program, project: int) -> None:
    """A corpus whose headlines a rule wrote for each style of prompt, and the records of how."""
    corpus, records = prompted_corpus()
    lines = StringIO()
    write_jsonl(corpus, lines)
    about = f"corpora/?name=Styles&project={project}"
    made = program.ask("POST", about, lines.getvalue().encode(), kind="application/jsonl")
    asked("record_generated", "POST", f"corpora/{made.json()['id']}/generated/", {"systems": records})


def _read(asked: Asked, batch: Batch) -> None:
    corpus = f"corpora/{batch.corpus_id}/"
    asked("read_corpus", "GET", corpus)
    distances = asked("list_distances", "GET", f"{corpus}distances/")["results"][0]["id"]
    asked("read_distances", "GET", f"{corpus}distances/{distances}/")
    asked("list_exclusions", "GET", f"batches/{batch.pk}/exclusions/")
    asked("list_uploads", "GET", "uploads/")
    study = asked("list_studies", "GET", "studies/")["results"][0]["id"]
    asked("read_study", "GET", f"studies/{study}/")
    project = asked("list_projects", "GET", "projects/")["results"][-1]["id"]
    asked("read_project", "GET", f"projects/{project}/")
    asked("rename_project", "PATCH", f"projects/{project}/", {"name": "Third team"})


def _change(asked: Asked, batch: Batch) -> None:
    draft = make_batch(corpus=batch.corpus, launched=False)
    path = f"batches/{draft.pk}/"
    taking_part = {"contact": "study@example.org", "approval": "ERB 12/2026", "entry": "panel"}
    asked("change_participation", "PATCH", f"{path}participation/", taking_part)
    asked("launch_batch", "POST", f"{path}launch/", {"confirmed": True})
    event = {"event": "evt-1", "participant": "5f3c9b", "status": "returned"}
    asked("take_panel_event", "POST", f"{path}panel-events/", event)
    asked("pause_batch", "POST", f"{path}pause/")
    asked("resume_batch", "POST", f"{path}resume/")
    asked("move_window", "POST", f"{path}window/", {"closes_at": "2099-03-01T18:00:00Z"})
    primary = {"primary_coefficient": "kendall", "primary_surrogate": "rouge-l"}
    asked("declare_primary", "POST", f"{path}primary/", primary)
    asked("extend_batch", "POST", f"{path}extend/", {"raters": 1})
    asked("close_batch", "POST", f"{path}close/")
    rated = close_batch(batch=make_rated_batch(corpus=batch.corpus), now=NOW)
    asked("freeze_batch", "POST", f"batches/{rated.pk}/freeze/")
    asked("take_out_thing", "POST", f"keep/batch/{_archived(asked, draft)}/take-out/")


def _archived(asked: Asked, batch: Batch) -> int:
    asked("archive_thing", "POST", f"keep/batch/{batch.pk}/archive/")
    return batch.pk


def _compute(asked: Asked, batch: Batch) -> None:
    """Runs of scores that can be ended and begun anew; a report that is done, then one that failed."""
    run = asked("list_score_runs", "GET", "score-runs/")["results"][0]["id"]
    asked("cancel_scores", "POST", f"score-runs/{run}/cancel/")
    asked("retry_scores", "POST", f"score-runs/{run}/retry/")
    ScoreRun.objects.filter(pk=run).update(status=JobStatus.QUEUED)
    asked("read_score_run", "GET", f"score-runs/{run}/")
    done = make_report(batch=make_rated_batch(corpus=batch.corpus))
    asked("read_report", "GET", f"reports/{done.pk}/")
    asked("list_reports", "GET", "reports/")
    asked("compare_reports", "GET", f"reports/compare/?a={done.pk}&b={done.pk}&score=degress")
    with patch.object(kept_bundles, "FEW_DOCUMENTS", 0):  # as of a large report
        asked("read_report_bundle", "GET", f"reports/{done.pk}/files/bundle.zip")
    type(done).objects.filter(pk=done.pk).update(status=JobStatus.FAILED, error="A worker was killed.")
    asked("retry_report", "POST", f"reports/{done.pk}/retry/")


def _models(asked: Asked, batch: Batch) -> None:
    path = f"batches/{batch.pk}/models/"
    with override_settings(), configured(settings):
        chosen = {"models": [MODEL], "both_orders": True, "draws": 1, "temperature": 0}
        plan = asked("plan_models", "POST", f"{path}plan/", chosen)
        begun = {**chosen, "seen": plan["seen"], "confirmed": True}
        asked("begin_models", "POST", path, begun)
        run = asked("list_model_runs", "GET", path)["results"][0]["id"]
        asked("read_model_run", "GET", f"{path}{run}/")
        asked("cancel_model_run", "POST", f"{path}{run}/cancel/")
        asked("retry_model_run", "POST", f"{path}{run}/retry/")


def _webhooks(asked: Asked) -> None:
    wanted = {"address": "https://example.org/concord", "events": ["report.ready"]}
    made = asked("make_webhook", "POST", "webhooks/", wanted)["id"]
    path = f"webhooks/{made}/"
    asked("list_webhooks", "GET", "webhooks/")
    asked("read_webhook", "GET", path)
    asked("change_webhook", "PATCH", path, {"events": ["report.ready", "batch.completed"], "is_active": True})
    asked("rotate_webhook", "POST", f"{path}rotate/")
    delivery = asked("test_webhook", "POST", f"{path}test/")["id"]
    asked("list_deliveries", "GET", f"{path}deliveries/")
    asked("replay_delivery", "POST", f"{path}deliveries/{delivery}/replay/")
