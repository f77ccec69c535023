"""Two imports of the same content at the same moment, on two real connections, make one corpus."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

import pytest
from django.db import connection, transaction

from survey_site.corpus import services
from survey_site.corpus.models import Corpus, Reference
from survey_site.corpus.queries import load_corpus
from tests.factories.batches import NOW
from tests.survey_site.corpus.examples import make_value

pytestmark = pytest.mark.django_db(transaction=True)


def import_at_once(monkeypatch, values):
    """Import each value on its own connection; all have found nothing in the database before any writes."""
    everyone_has_looked = Barrier(len(values), timeout=60)

    class Transaction:
        @staticmethod
        @contextmanager
        def atomic():
            everyone_has_looked.wait()
            with transaction.atomic():
                yield

    def run(value):
        try:
            result = services.import_corpus(corpus=value, name="race", source="", now=NOW)
            return result.corpus.pk, result.created
        finally:
            connection.close()

    monkeypatch.setattr(services, "transaction", Transaction)
    with ThreadPoolExecutor(len(values)) as pool:
        return list(pool.map(run, values))


def test_the_same_content_is_imported_once_and_both_get_it(monkeypatch):
    results = import_at_once(monkeypatch, [make_value(), make_value()])
    row = Corpus.objects.get()
    assert sorted(results) == [(row.pk, False), (row.pk, True)]
    assert load_corpus(row) == make_value()


def test_different_contents_do_not_disturb_each_other(monkeypatch):
    results = import_at_once(monkeypatch, [make_value(text="one"), make_value(text="two")])
    assert [created for _, created in results] == [True, True]
    assert Corpus.objects.count() == 2
    assert Reference.objects.count() == 4
