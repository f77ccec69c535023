"""What would leave the site before anybody confirms it, and its beginning: for the page and for programs."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.common.digest import digest
from survey_site.model_raters.choices import Choice, JudgeChoice
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.queries import configured_models
from survey_site.model_raters.services import request_runs
from survey_site.model_raters.tasks import enqueue_model_run

if TYPE_CHECKING:
    from survey_site.model_raters.asking import PreparedRun


def prepared_for(batch: Batch, choices: Sequence[Choice]) -> "list[PreparedRun]":
    """What each choice would ask; nothing is sent. Raises MetaEvalError where nothing can be asked."""
    from survey_site.model_raters.asking import prepare  # loads what speaks to models

    return prepare(batch, choices)


def prepared_judge(batch: Batch, choice: JudgeChoice) -> "list[PreparedRun]":
    """What a judge in readers' places would be asked; as `prepared_for`, for one judge."""
    from survey_site.model_raters.judging import prepare_judge

    return [prepare_judge(batch, choice)]


def seen_of(prepared: "Sequence[PreparedRun]") -> str:
    """Changes with what would be sent, and where; a launched batch and its corpus do not change."""
    shown = [[one.options, one.wording_record, one.example, one.expected.new] for one in prepared]
    return digest(shown)[:16]


def host_of(prepared: "Sequence[PreparedRun]") -> str:
    """The server that would be asked, as people read it."""
    return urlsplit(prepared[0].host).netloc if prepared else ""


def server() -> str:
    """The server that models of this site are asked at; empty where none is set up."""
    return urlsplit(settings.CONCORD_LLM_URL).netloc if configured_models() else ""


def total_of(prepared: "Sequence[PreparedRun]") -> dict[str, Any]:
    """Of all models together."""
    costs = [one.expected.cost for one in prepared]
    return {
        "requests": sum(one.expected.new for one in prepared),
        "kept": sum(one.expected.requests - one.expected.new for one in prepared),
        "prompt_tokens": sum(one.expected.prompt_tokens for one in prepared),
        "completion_tokens": sum(one.expected.most_completion_tokens for one in prepared),
        "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
    }


def begin(*, batch: Batch, prepared: "Sequence[PreparedRun]", by: User, now: datetime) -> list[ModelRun]:
    """The runs, handed to the workers. Raises as `request_runs` does."""
    with transaction.atomic():
        runs = request_runs(batch=batch, prepared=prepared, now=now, by=by)
        for run in runs:
            if run.is_unfinished:
                enqueue_model_run(run)
    return runs
