"""The demonstration: the main job of the site, done once with the demo corpus and simulated raters.

Every step finds what an earlier run left and goes on from there, so running it again duplicates nothing.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings

from meta_eval.corpus.documents import Corpus as CorpusTexts
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.llm.files import read_replies
from meta_eval.report.options import REPORT_RESAMPLES
from meta_eval.studies.icopernicus.provenance import Record
from survey_site.accounts.models import User
from survey_site.accounts.permissions import Role
from survey_site.accounts.services import ensure_user
from survey_site.batches.models import Batch
from survey_site.batches.services import BatchSettings, create_batch, launch_batch
from survey_site.corpus.models import Corpus
from survey_site.corpus.services import import_corpus
from survey_site.demo.prompts import prompted_corpus
from survey_site.demo.user_summaries import ensure_study
from survey_site.model_raters.asking import keep_replies, prepare
from survey_site.model_raters.choices import Choice
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.services import execute_run, request_runs
from survey_site.projects.choosing import named_project
from survey_site.projects.models import Project
from survey_site.reports.models import Report
from survey_site.reports.services import build_report, request_report
from survey_site.reports.typesetting import keep_pdf
from survey_site.settings.table import BASE_DIR
from survey_site.studies.models import Study
from survey_site.survey.simulation import simulate_raters

CORPUS_FILE = BASE_DIR / "fixtures" / "demo" / "corpus.jsonl"
PROJECT_NAME = "Demonstration"
CORPUS_NAME = "Demo corpus"
CORPUS_SOURCE = "The demo corpus, written for Concord"
BATCH_NAME = "Demo survey (simulated raters)"
PROMPTS_NAME = "Demo corpus with prompt styles"
PROMPTS_SOURCE = "The demo corpus with headlines that two rules, no language model, wrote for prompts"
PROMPTS_BATCH_NAME = "Demo survey of prompt styles (simulated raters)"
PROMPTS_MEASURES = ("jsd",)
PROMPTS_RESAMPLES = 1_000
"""Fewer than usual: the demonstration is not to take longer for its second report."""
DOCUMENTS, SIMULATED_RATERS, COMPLETION, SEED = 20, 12, 0.9, 2026
MEASURES = ("rouge-l", "rouge-su4", "bleu", "jsd")
MODEL_REPLIES = CORPUS_FILE.with_name("replies-raters.jsonl")
MODEL_NAME = "demo-rule"
MODEL_NOTE = (
    "A simple rule wrote these replies for the demonstration, by the words that two texts share. No language "
    "model was asked, and nothing was sent anywhere."
)

Say = Callable[[str], None]
"""Told each step in one line, for whoever waits."""


@dataclass(frozen=True)
class Login:
    """An account of the demonstration; its password exists on this machine only."""

    username: str
    role: str
    password: str


@dataclass(frozen=True)
class Demo:
    """What the demonstration consists of."""

    corpus: Corpus
    batch: Batch
    report: Report
    model_run: ModelRun
    prompts_report: Report
    study: Study
    logins: tuple[Login, ...]


def prepare_demo(*, now: datetime, say: Say) -> Demo:
    """Corpus, accounts, batch, simulated ratings and report: whatever of it is missing is made."""
    logins = ensure_logins(now)
    admin = User.objects.get(username=logins[0].username)
    corpus = _ensure_corpus(read_jsonl(CORPUS_FILE), CORPUS_NAME, CORPUS_SOURCE, admin, now=now, say=say)
    wanted = BatchSettings(name=BATCH_NAME, documents=DOCUMENTS, seed=SEED)
    batch = _ensure_batch(corpus, wanted, admin, now, say)
    _ensure_ratings(batch, now, say)
    run = ensure_model_run(batch, admin, now, say)
    study = _ensure_study(admin, now, say)
    report = _ensure_report(batch, MEASURES, admin, now=now, say=say, models=[run])
    prompts = _ensure_prompts(admin, now, say)
    return Demo(corpus, batch, report, run, prompts, study, logins)


def _ensure_study(admin: User, now: datetime, say: Say) -> Study:
    study, made = ensure_study(admin, ensure_project(now), now)
    say("Scored summaries of twelve made-up users." if made else "Found the study of summaries of users.")
    return study


def _ensure_prompts(admin: User, now: datetime, say: Say) -> Report:
    """A survey of two rules with six styles of prompts, whose report has prompt paradoxes."""
    texts, generated = prompted_corpus()
    corpus = _ensure_corpus(texts, PROMPTS_NAME, PROMPTS_SOURCE, admin, generated=generated, now=now, say=say)
    wanted = BatchSettings(
        name=PROMPTS_BATCH_NAME, seed=SEED, raters=1, systems_per_questionnaire=12, document_shown=False
    )
    batch = _ensure_batch(corpus, wanted, admin, now, say)
    _ensure_ratings(batch, now, say)
    return _ensure_report(batch, PROMPTS_MEASURES, admin, now=now, say=say, resamples=PROMPTS_RESAMPLES)


def ensure_logins(now: datetime) -> tuple[Login, ...]:
    """An admin and a researcher, with passwords drawn once and kept in a file only the owner may read."""
    logins = tuple(
        Login(f"demo-{role}", role, _password(f"demo-{role}")) for role in (Role.ADMIN, Role.RESEARCHER)
    )
    for login in logins:
        ensure_user(username=login.username, role=login.role, password=login.password)
        ensure_project(now).people.add(User.objects.get(username=login.username))
    return logins


def ensure_project(now: datetime) -> Project:
    """Where the demonstration stands, or is to stand: the only project, or beside several one of its own."""
    if found := Corpus.objects.filter(source=CORPUS_SOURCE).order_by("pk").first():
        return found.project
    if Project.objects.count() < 2:
        return named_project(now=now)
    return Project.objects.get_or_create(name=PROJECT_NAME, defaults={"created_at": now})[0]


def _password(username: str) -> str:
    path: Path = settings.CONCORD_DATA_DIR / "demo" / f"{username}.password"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(9), encoding="utf-8")
    return path.read_text(encoding="utf-8").strip()


def _ensure_corpus(
    corpus: CorpusTexts,
    name: str,
    source: str,
    admin: User,
    *,
    generated: Sequence[Record] = (),
    now: datetime,
    say: Say,
) -> Corpus:
    result = import_corpus(
        corpus=corpus,
        name=name,
        source=source,
        language="en",
        generated=generated,
        created_by=admin,
        project=ensure_project(now),
        now=now,
    )
    done = "Imported" if result.created else "Found"
    say(f"{done} {name}: {len(corpus.documents)} documents, {len(corpus.systems)} systems.")
    return result.corpus


def _ensure_batch(corpus: Corpus, wanted: BatchSettings, admin: User, now: datetime, say: Say) -> Batch:
    batch = Batch.objects.filter(corpus=corpus, name=wanted.name).order_by("pk").first()
    if batch is None:
        batch = create_batch(corpus=corpus, settings=wanted, now=now, created_by=admin)
    if not batch.launched_at:
        batch = launch_batch(batch=batch, now=now)
        say(f"Launched a batch of {batch.questionnaires.count()} questionnaires, {batch.raters} raters each.")
    else:
        say("Found the batch.")
    return batch


def _ensure_ratings(batch: Batch, now: datetime, say: Say) -> None:
    done = simulate_raters(batch=batch, raters=SIMULATED_RATERS, completion=COMPLETION, seed=SEED, now=now)
    if done.questionnaires:
        say(
            f"{done.raters} simulated raters completed {done.questionnaires} questionnaires; "
            "the rest is yours."
        )
    else:
        say("Found the simulated ratings.")


def ensure_model_run(batch: Batch, admin: User, now: datetime, say: Say) -> ModelRun:
    """A finished run of a model, without any network: a rule's replies are kept, and asked for again."""
    (prepared,) = prepare(batch, [Choice(model=MODEL_NAME, kind="replay")])
    (run,) = request_runs(batch=batch, prepared=[prepared], now=now, by=admin, note=MODEL_NOTE)
    if run.is_done:
        say("Found the scripted model's ratings.")
        return run
    keep_replies(run, read_replies(MODEL_REPLIES), prepared.questions)
    run = execute_run(run=run)
    say("A scripted model rated the batch, too: a rule's replies, read from a file.")
    return run


def _ensure_report(
    batch: Batch,
    measures: Sequence[str],
    admin: User,
    *,
    now: datetime,
    say: Say,
    resamples: int = REPORT_RESAMPLES,
    models: Sequence[ModelRun] = (),
) -> Report:
    """By the same measures as surrogates."""
    report = request_report(
        batch=batch,
        measures=measures,
        surrogates=measures,
        model_runs=models,
        mixed=bool(models),
        created_by=admin,
        now=now,
        resamples=resamples,
    )
    if report.is_done:
        say("Found the report on these ratings.")
        return report
    parts: list[str] = []

    def progress(part: str, _done: int, _total: int) -> None:
        if part not in parts:
            parts.append(part)
            say(f"  computing {part}")

    report = build_report(report=report, progress=progress)
    keep_pdf(report)
    say("Built the correlation report.")
    return report
