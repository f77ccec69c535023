"""The Celery application; tasks are found in each app's `tasks` module.

A worker logs as the site does, and each line that it writes for a task has the task's id, the job and the id
of the request that asked for it.
"""

import os
from typing import Any

from celery import Celery, Task
from celery.signals import before_task_publish, setup_logging, task_postrun, task_prerun

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "survey_site.settings")

app = Celery("survey_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

_REQUEST = "request_of"
_began: dict[str, Any] = {}
"""What each task at work here put on the lines of the log."""


@setup_logging.connect  # type: ignore[untyped-decorator]
def _log_as_the_site(**_signal: object) -> None:
    """Celery sets up no log of its own where somebody listens to this."""
    import django

    django.setup()


@before_task_publish.connect  # type: ignore[untyped-decorator]
def _say_who_asks(headers: dict[str, Any], **_signal: object) -> None:
    from survey_site.common.log_lines import current_id

    headers[_REQUEST] = current_id("request")


@task_prerun.connect  # type: ignore[untyped-decorator]
def _begin_lines(task_id: str, task: Task, args: Any, **_signal: object) -> None:
    from survey_site.common.log_lines import begin

    job = " ".join([task.name, *map(str, args)])  # ids of rows alone, as of every task
    asked = getattr(task.request, _REQUEST, None)
    _began[task_id] = begin(task=task_id, job=job, **({"request": asked} if asked else {}))


@task_postrun.connect  # type: ignore[untyped-decorator]
def _end_lines(task_id: str, **_signal: object) -> None:
    from survey_site.common.log_lines import end

    if token := _began.pop(task_id, None):
        end(token)
