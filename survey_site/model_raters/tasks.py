"""Thin background tasks of models that rate: fixed names, ids only, in a queue of their own."""

import logging

from celery import shared_task
from django.utils import timezone

from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.services import execute_run
from survey_site.scoring.jobs import is_at_work
from survey_site.scoring.tasks import send_on_commit

log = logging.getLogger(__name__)


@shared_task(name="model_raters.execute_run", acks_late=True)  # type: ignore[untyped-decorator]
def execute_model_run_task(run_id: int) -> None:
    run = ModelRun.objects.select_related("batch__corpus").filter(pk=run_id).first()
    if run is None:
        log.warning("Model run %s is gone; nothing to do.", run_id)
        return
    if run.is_failed:
        return  # a message that was left over, or a cancelled run; who tries it again queues it first
    if not is_at_work(run, now=timezone.now()):  # a message sent twice must not keep a worker waiting
        execute_run(run=run)


def enqueue_model_run(run: ModelRun) -> None:
    """Hand the run to the workers once the transaction is committed."""
    send_on_commit(execute_model_run_task, run)
