"""The one way to lock a row.

Lock late, and the parent before its children: batch, rater, questionnaire. PostgreSQL locks the row, yet lets
others add rows that refer to it (newcomers join a batch whose row somebody holds); on SQLite every write
transaction begins with BEGIN IMMEDIATE and so already waits for all others.
"""

from typing import TypeVar

from django.db import connections, models
from django.db.transaction import TransactionManagementError

from survey_site.common.errors import NotFoundError

Row = TypeVar("Row", bound=models.Model)


def lock_row(queryset: "models.QuerySet[Row]") -> Row:
    """The one row of `queryset`, locked until the transaction ends. Raises DoesNotExist without it."""
    _require_transaction(queryset, "lock_row")
    return locked(queryset).get()


def lock_first_row(queryset: "models.QuerySet[Row]") -> Row | None:
    """The first row of `queryset` that nobody else has locked, locked; it waits for none."""
    _require_transaction(queryset, "lock_first_row")
    return locked(queryset, skip_locked=True).first()


def locked(queryset: "models.QuerySet[Row]", *, skip_locked: bool = False) -> "models.QuerySet[Row]":
    """The same rows, locked when they are read; `skip_locked`: without those that others have locked."""
    return queryset.select_for_update(of=("self",), no_key=True, skip_locked=skip_locked)


def lock_whole_row(queryset: "models.QuerySet[Row]") -> Row:
    """As `lock_row`, and nobody adds rows that refer to it: for who deletes it.

    Raises NotFoundError where somebody else has deleted it meanwhile.
    """
    _require_transaction(queryset, "lock_whole_row")
    if (row := queryset.select_for_update(of=("self",)).first()) is None:
        raise NotFoundError("It is deleted already.", action="Go back to the list.")
    return row


def lock_whole_rows(queryset: "models.QuerySet[Row]") -> None:
    """All rows of `queryset`, locked so, in the order of their keys."""
    _require_transaction(queryset, "lock_whole_rows")
    list(queryset.select_for_update(of=("self",)).order_by("pk").values_list("pk"))


def _require_transaction(queryset: "models.QuerySet[Row]", name: str) -> None:
    if not connections[queryset.db].in_atomic_block:
        raise TransactionManagementError(f"{name} needs a transaction: call it inside transaction.atomic().")
