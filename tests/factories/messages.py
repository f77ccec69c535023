"""A broker for tests, and workers of one process each, which handle its messages when they are told to."""

from collections import defaultdict, deque
from collections.abc import Callable, Collection
from typing import Any

import pytest
from celery import Task, current_app

from meta_eval.distances.computing import DistanceStream
from survey_site.settings.queues import DEFAULT

MOST = 200
"""Messages that a test sends at most: more is work without an end."""


class Broker:
    """Messages in their queues, one worker for each queue, and what they handled, in order."""

    def __init__(self, tasks: Collection[Task], queues: Collection[str]) -> None:
        self._tasks, self._known = {task.name: task for task in tasks}, queues
        self.queues: dict[str, deque[tuple[str, tuple[Any, ...]]]] = defaultdict(deque)
        self.handled: list[tuple[Any, ...]] = []

    @property
    def messages(self) -> deque[tuple[str, tuple[Any, ...]]]:
        return self.queues[DEFAULT]

    def send(self, name: str, args: tuple[Any, ...], queue: str = DEFAULT) -> None:
        assert queue in self._known
        self.queues[queue].append((name, args))

    def work(self, queue: str = DEFAULT, *, messages: int = MOST) -> None:
        """Handle so many messages of a queue, or all."""
        waiting = self.queues[queue]
        while waiting and messages:
            messages -= 1
            name, args = waiting.popleft()
            self._tasks[name].run(*args)
            self.handled.append((name, *args))
            assert len(self.handled) < MOST, "work without an end"

    def times(self, task: Task, row: Any) -> int:
        """How often a message of this task about this row was handled."""
        return self.handled.count((task.name, row.pk))


def take_messages(
    monkeypatch: pytest.MonkeyPatch, *tasks: Task, queues: Collection[str] = (DEFAULT,)
) -> Broker:
    """A broker that takes all messages from now on; `tasks` are what its workers know."""
    broker = Broker(tasks, queues)
    monkeypatch.setattr(current_app, "send_task", broker.send)
    for task in tasks:
        monkeypatch.setattr(task, "delay", lambda *args, name=task.name: broker.send(name, args))
    return broker


def note_parts(
    monkeypatch: pytest.MonkeyPatch, meanwhile: dict[int, Callable[[], object]]
) -> list[tuple[str, int]]:
    """Each part of a run that is computed, not read from the store, in order.

    meanwhile: what is done once in the middle of a part, by how many were computed before it.
    """
    computed: list[tuple[str, int]] = []
    compute = DistanceStream.compute

    def note(stream: DistanceStream, shard: Any) -> Any:
        if act := meanwhile.pop(len(computed), None):
            act()
        blocks, counts = compute(stream, shard)
        if counts.compared:
            computed.append((stream.signature.digest, shard.span.first))
        return blocks, counts

    monkeypatch.setattr(DistanceStream, "compute", note)
    return computed
