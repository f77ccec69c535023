"""A run that somebody ends while it is asking: seen within a second or two, whatever the server does.

A thread beside the asking writes down how far it is and looks whether the run was cancelled, or its row was
deleted. Then nothing more is sent; what is under way is waited for, since it is paid for, and its replies
are kept.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event

from django.db import InterfaceError, OperationalError, connection

from meta_eval.llm.limits import Sends, StoppedError
from meta_eval.llm.models import Model, Reply
from meta_eval.llm.questions import Message, Request
from survey_site.model_raters.cancelling import CANCELLED, CancelledError
from survey_site.model_raters.models import ModelRun
from survey_site.scoring.machinery import through_a_lost_connection

LOOK_SECONDS = 1.0
log = logging.getLogger(__name__)


class Stoppable(Model):
    """A model that sends nothing more once it is told to stop."""

    def __init__(self, model: Model, stop: Event) -> None:
        self._model, self._stop = model, stop
        self.options, self.concurrent = model.options, model.concurrent

    @property
    def place(self) -> str | None:
        return self._model.place

    @property
    def counting(self) -> str:
        return self._model.counting

    def answer(self, request: Request, sends: Sends | None = None) -> Reply:
        if self._stop.is_set():
            raise StoppedError(CANCELLED)
        return self._model.answer(request, sends)

    def count_tokens(self, messages: Sequence[Message]) -> int:
        return self._model.count_tokens(messages)

    def close(self) -> None:
        self._model.close()


@contextmanager
def watching(run: ModelRun, so_far: Callable[[], Mapping[str, int]], stop: Event) -> Iterator[None]:
    """Store how far the run is about once a second and at the end; set `stop` once it is cancelled or gone.

    Raises `CancelledError` where it was cancelled before it began.
    """
    if _is_cancelled(run):
        raise CancelledError
    ended = Event()
    thread = threading.Thread(target=_watch, args=(run, so_far, stop, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        through_a_lost_connection(lambda: _store(run, so_far()))


def _watch(run: ModelRun, so_far: Callable[[], Mapping[str, int]], stop: Event, ended: Event) -> None:
    try:
        while not ended.wait(LOOK_SECONDS):
            try:
                if not _store(run, so_far()) or _is_cancelled(run):
                    stop.set()
            except (OperationalError, InterfaceError) as error:  # the next look may succeed
                log.warning("Model run %s could not be looked at: %s", run.pk, error)
                connection.close()
    finally:
        connection.close()


def _store(run: ModelRun, columns: Mapping[str, int]) -> bool:
    """Whether the row is still there. The run itself keeps what the database may not take at this moment."""
    for name, value in columns.items():
        setattr(run, name, value)
    return ModelRun.objects.filter(pk=run.pk).update(**columns) > 0


def _is_cancelled(run: ModelRun) -> bool:
    return ModelRun.objects.filter(pk=run.pk, cancelled_at__isnull=False).exists()
