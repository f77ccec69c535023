"""lock_row works inside a transaction only, and gives the row."""

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from survey_site.accounts.models import User
from survey_site.common.locking import lock_first_row, lock_row
from tests.factories.accounts import make_user


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_it_refuses():
    make_user(username="ada")
    with pytest.raises(TransactionManagementError, match=r"inside transaction\.atomic"):
        lock_row(User.objects.filter(username="ada"))


@pytest.mark.django_db
def test_it_gives_the_row_and_locks_it_where_rows_have_locks():
    ada = make_user(username="ada")
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        assert lock_row(User.objects.filter(username="ada")) == ada
    has_row_locks = connection.vendor == "postgresql"
    assert ("FOR NO KEY UPDATE" in queries.captured_queries[-1]["sql"]) is has_row_locks


@pytest.mark.django_db
def test_the_first_row_is_one_that_nobody_else_has_locked():
    make_user(username="grace")
    ada = make_user(username="ada")
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        assert lock_first_row(User.objects.order_by("username")) == ada
    has_row_locks = connection.vendor == "postgresql"
    assert ("SKIP LOCKED" in queries.captured_queries[-1]["sql"]) is has_row_locks


@pytest.mark.django_db
def test_without_the_row_it_raises():
    with pytest.raises(User.DoesNotExist):
        lock_row(User.objects.filter(username="nobody"))
