"""Models that rate batches in tests: a scripted server on this machine, and runs by the services of pages."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from survey_site.batches.models import Batch
from survey_site.model_raters.asking import prepare
from survey_site.model_raters.choices import Choice
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.services import execute_run, request_runs
from tests.factories.batches import NOW
from tests.factories.llm_server import ModelServer, Play, Script, model_server, prompt_of

MODEL = "judge-1"


def say_four(body: dict[str, Any], _times: int) -> Play:
    """4, and 6 for the two equal texts of the system that writes one for all."""
    return Play(json.dumps({"score": 6 if prompt_of(body).count("News ") >= 2 else 4}))


@contextmanager
def configured(settings: Any, script: Script = say_four, **server: Any) -> Iterator[ModelServer]:
    """A site with this server and one model."""
    with model_server(script, **server) as running:
        settings.CONCORD_LLM_URL = running.url
        settings.CONCORD_LLM_MODELS = [MODEL]
        settings.CONCORD_LLM_CONCURRENT = 4
        yield running


def request_one(batch: Batch, **choice: Any) -> ModelRun:
    prepared = prepare(batch, [Choice(**{"model": MODEL, **choice})])
    return request_runs(batch=batch, prepared=prepared, now=NOW)[0]


def run_one(batch: Batch, **choice: Any) -> ModelRun:
    """A run that was requested and asked, as the row is now."""
    run = execute_run(run=request_one(batch, **choice), clock=lambda: NOW)
    run.refresh_from_db()
    return run
