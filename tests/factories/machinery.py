"""Faults of the machine for tests: a store that is away, a disk that is full."""

import errno
import os
from collections.abc import Callable
from typing import Any

import pytest
from fsspec.implementations.local import LocalFileSystem

from survey_site.scoring import storage


def fault(number: int) -> OSError:
    """As the system reports it."""
    return OSError(number, os.strerror(number))


def failing(act: Callable[..., Any], error: Exception, times: int) -> Callable[..., Any]:
    """`act`, which fails so many times before it works."""
    left = iter(range(times))

    def fail_or_act(*arguments: Any, **named: Any) -> Any:
        if next(left, None) is not None:
            raise error
        return act(*arguments, **named)

    return fail_or_act


def lose_store(monkeypatch: pytest.MonkeyPatch, times: int) -> None:
    monkeypatch.setattr(LocalFileSystem, "ls", failing(LocalFileSystem.ls, fault(errno.ESTALE), times))


def fill_disk(monkeypatch: pytest.MonkeyPatch, times: int, number: int = errno.ENOSPC) -> None:
    monkeypatch.setattr(storage.os, "fsync", failing(os.fsync, fault(number), times))
