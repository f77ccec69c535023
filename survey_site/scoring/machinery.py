"""What is a fault of the machine that computes, not of what it computes: another try may succeed."""

import errno
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

from meta_eval.distances.store.files import StoreAddressError, StoreError

MACHINERY = (OperationalError, InterfaceError, ConnectionError, TimeoutError, StoreError)
FULL_OR_FAILING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ESTALE})
"""What the system says of a disk that is full, and of a file system that fails or was mounted anew."""

Found = TypeVar("Found")


def is_of_machinery(error: Exception) -> bool:
    """Whether what a computation runs on has failed, so that another try may succeed with the same input.

    An address at which no store can be opened is a mistake in the settings, which no pause mends.
    """
    if isinstance(error, StoreAddressError):
        return False
    full_or_failing = isinstance(error, OSError) and error.errno in FULL_OR_FAILING
    return full_or_failing or isinstance(error, MACHINERY)


def through_a_lost_connection(act: Callable[[], Found]) -> Found:
    """A computation takes minutes, and its connection may have died meanwhile: a new one, once."""
    try:
        return act()
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block:
            raise  # what the transaction did before is lost with it
        connection.close()
        return act()
