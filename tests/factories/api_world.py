"""A small site for requests that are made up: batches, reports and runs in several states, distances."""

import io

from django.db.models import CharField, Model, Value
from django.db.models.functions import Concat

from survey_site.accounts.links import invite
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import load_corpus
from survey_site.model_raters.models import ModelRun
from survey_site.notices.models import Notice, NoticeKind
from survey_site.notices.services import notify
from survey_site.projects.models import Project
from survey_site.quality.models import Exclusion
from survey_site.quality.services import exclude_rater
from survey_site.reports.models import Report
from survey_site.scoring.given.services import import_distances
from survey_site.scoring.models import GivenDistances, JobStatus, ScoreRun
from survey_site.studies.models import Study
from survey_site.webhooks.models import Delivery, Endpoint
from survey_site.webhooks.services import send_test
from tests.factories.accounts import make_user
from tests.factories.api_cases import SECRET, Numbers
from tests.factories.batches import NOW, make_batch
from tests.factories.given import distances_table
from tests.factories.model_raters import request_one
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch
from tests.factories.snapshots import frozen_batch
from tests.factories.studies import make_study
from tests.factories.webhooks import make_webhook

FILES = ["snapshot.json", "report.html", "ratings.csv"]
"""Of a frozen batch, a study, and a model's run."""


def make_world() -> Numbers:
    """Batches that are planned, live, closed and frozen; reports that are done, wait and failed; a rater who
    is excluded; a model's run; and what an admin has of their own.
    """
    done, failed = make_report(resamples=1000), make_report(built=False)
    make_report(batch=failed.batch, built=False, seed=2)
    Report.objects.filter(pk=failed.pk).update(status=JobStatus.FAILED, error="A worker was killed.")
    close_batch(batch=make_rated_batch(), now=NOW)
    make_batch(launched=False)
    frozen_batch()
    corpus = done.batch.corpus
    tables = [("own.csv", io.BytesIO(distances_table(load_corpus(corpus))))]
    import_distances(corpus=corpus, name="own", files=tables, now=NOW)
    run = run_of_a_model(done.batch)
    admin = make_user(role="admin")
    invited = invite(name="Bo", email="", role="researcher", by=admin, now=NOW)
    make_study()
    exclude_rater(rater=done.batch.people.order_by("-pk")[0], reason="asleep", now=NOW, by=admin)
    send_test(endpoint=make_webhook("https://example.org/hook", owner=admin), by=admin, now=NOW)
    for model in (Batch, Corpus, Project, Study, GivenDistances):
        named = Concat(Value(f"{SECRET}-"), "pk", output_field=CharField())
        model._default_manager.update(name=named)
    notify(kind=NoticeKind.COMPLETE, batch=done.batch, key="1", now=NOW)
    batches, corpora = _numbers(Batch), _numbers(Corpus)
    return {
        **{"batches": batches, "batch": batches, "corpora": corpora, "corpus": corpora},
        **{"reports": _numbers(Report), "score-runs": _numbers(ScoreRun)},
        "distances": _numbers(GivenDistances),
        **{"studies": _numbers(Study), "notices": _numbers(Notice), "projects": _numbers(Project)},
        "project": _numbers(Project),
        "run": [run.pk],
        **{"file": FILES, "address": ["report.json", "correlations.csv"], "language": ["en"]},
        **{"username": [admin.username], "exclusion": _numbers(Exclusion)},
        **{"webhooks": _numbers(Endpoint), "delivery": _numbers(Delivery)},
        **{"accounts": _numbers(User), "invitation": [invited.link.pk], "code": [rater_of(done.batch)]},
        **{"keep": _numbers(Report), "kind": ["report"]},
    }


def rater_of(batch: Batch) -> str:
    """The pseudonym of somebody who rated."""
    found = batch.people.order_by("pk").first()
    return found.code if found else ""


def run_of_a_model(batch: Batch) -> ModelRun:
    """One that knows kept replies alone, waiting."""
    return request_one(batch, kind="replay")


def _numbers(model: type[Model]) -> list[int]:
    return list(model._default_manager.order_by("pk").values_list("pk", flat=True))
