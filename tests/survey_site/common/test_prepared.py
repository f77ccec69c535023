"""A prepared statement gives the rows that its queryset gives, whatever the values."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from survey_site.batches.models import Batch, Questionnaire
from survey_site.common.locking import locked
from survey_site.common.prepared import PreparedInsert, prepared, prepared_update
from survey_site.corpus.models import Corpus
from survey_site.survey.models import Assignment, Consent, Rater
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import NOW, make_assignment, make_rater

pytestmark = pytest.mark.django_db


@pytest.fixture
def batches():
    corpus = make_corpus(documents=2)
    return [make_batch(corpus=corpus, name=name) for name in ("one", "two")]


@prepared
def with_relations(batch, number) -> QuerySet[Questionnaire]:
    rows = Questionnaire.objects.filter(Q(number=number) | Q(number__gt=F("slots")), batch=batch)
    return rows.select_related("batch__corpus", "batch__participation", "document").order_by("number")


def test_objects_and_their_relations_come_as_from_the_queryset(batches):
    for batch in batches:
        for number in (1, 2):
            given = with_relations.rows(batch=batch.pk, number=number)
            asked = list(with_relations._build(batch.pk, number))
            assert given == asked
            with CaptureQueriesContext(connection) as further:
                same = [
                    (_columns(one), _columns(one.batch), _columns(one.batch.corpus), one.document)
                    for one in given
                ]
            assert not further.captured_queries
            assert same == [
                (_columns(one), _columns(one.batch), _columns(one.batch.corpus), one.document)
                for one in asked
            ]
            assert not any(hasattr(one.batch, "participation") for one in given)


def _columns(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def test_values_come_as_tuples_or_flat(batches):
    @prepared
    def pairs(batch):
        return Questionnaire.objects.filter(batch=batch).order_by("-number").values_list("number", "slots")

    @prepared
    def flat(name):
        return Batch.objects.filter(name=name).order_by().values_list("plan_notes", flat=True)

    slots = batches[0].raters
    assert pairs.rows(batch=batches[0].pk) == [(2, slots), (1, slots)]
    assert pairs.first(batch=0) is None
    assert flat.rows(name="two") == [batches[1].plan_notes]


def test_what_is_annotated_stands_beside_what_is_read(batches):
    @prepared
    def counted(name, more):
        rows = Batch.objects.filter(name=name).select_related("corpus").order_by()
        planned = Questionnaire.objects.filter(batch=OuterRef("pk"), number__gt=more).order_by()
        return rows.annotate(has_more=Exists(planned), next_seed=F("seed") + 1)

    for more in (0, 2):
        given, asked = counted.get(name="two", more=more), counted._build("two", more).get()
        assert (given, given.corpus, given.has_more, given.next_seed) == (
            *(asked, asked.corpus, asked.has_more, asked.next_seed),
        )
        assert given.has_more is (more == 0)


def test_rows_of_two_models_come_by_one_statement(batches):
    @prepared
    def named(batch, corpus):
        none = Value(None, CharField())
        corpora = Corpus.objects.filter(pk=corpus).order_by().annotate(nobody=none)
        rows = Batch.objects.filter(pk=batch).order_by().values_list("token", "name")
        return rows.union(corpora.values_list("nobody", "name"), all=True).order_by()

    batch = batches[0]
    asked = [(batch.token, "one"), (None, batch.corpus.name)]
    assert sorted(named.rows(batch=batch.pk, corpus=batch.corpus_id), key=str) == sorted(asked, key=str)


def test_an_update_changes_what_it_finds_and_says_how_many(batches):
    assignment = make_assignment(batches[0])

    @prepared_update
    def extend(state, end):
        return Assignment.objects.filter(state=state), {"expires_at": Greatest(F("expires_at"), end)}

    later, before = assignment.expires_at + timedelta(hours=2), NOW - timedelta(days=1)
    assert extend(state="submitted", end=later) == 0
    assert extend(state="open", end=later) == 1
    assert extend(state="open", end=before) == 1
    assignment.refresh_from_db()
    assert assignment.expires_at == later


@prepared
def locked_batches(name):
    return locked(Batch.objects.filter(name=name).order_by())


def test_rows_are_locked_inside_a_transaction(batches):
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        assert locked_batches.get(name="one") == batches[0]
    has_row_locks = connection.vendor == "postgresql"
    assert ("FOR NO KEY UPDATE" in queries.captured_queries[-1]["sql"]) is has_row_locks
    with transaction.atomic(), pytest.raises(Batch.DoesNotExist, match="locked_batches"):
        locked_batches.get(name="three")


@pytest.mark.django_db(transaction=True)
def test_and_outside_one_not_at_all():
    with pytest.raises(TransactionManagementError, match="locked_batches locks rows"):
        locked_batches.rows(name="one")


def test_what_is_compiled_is_a_query_of_its_own():
    """Compiling changes a query, so threads that compile at the same moment must not share one."""
    assert with_relations._compiler.query is not with_relations._queryset.query


RATER = {
    **{"key_hash": "a" * 64, "name": "", "simulated": False, "entry": "open", "code": "R1"},
    **{"language": "en", "created_at": NOW, "withdrawn_at": None, "browsers": 1},
}


def test_a_row_is_stored_as_its_fields_would_store_it(batches):
    people = PreparedInsert(Rater, ("batch_id", *RATER), once_by=("batch_id", "key_hash"))
    by_field = Rater.objects.create(**RATER | {"batch": batches[0]})
    key = people.one(**RATER | {"batch_id": batches[1].pk, "code": "R2", "withdrawn_at": NOW})
    stored, by_field = Rater.objects.get(pk=key), Rater.objects.get(pk=by_field.pk)
    differing = {"id": key, "batch_id": batches[1].pk, "code": "R2", "withdrawn_at": NOW}
    assert _columns(stored) == _columns(by_field) | differing


def test_a_row_that_is_there_is_passed_over_and_every_other_fault_is_not(batches):
    people = PreparedInsert(Rater, ("batch_id", *RATER), once_by=("batch_id", "key_hash"))
    first = RATER | {"batch_id": batches[0].pk}
    assert people.one(**first) == Rater.objects.get().pk
    assert people.one(**first | {"code": "R3"}) is None
    for fault in ({"code": "R1"}, {"entry": "window"}, {"language": None}):
        with pytest.raises(IntegrityError), transaction.atomic():
            people.one(**first | {"key_hash": "b" * 64, "code": "R4"} | fault)
    assert Rater.objects.get().code == "R1"


def test_several_rows_go_by_one_statement(batches):
    people = PreparedInsert(Rater, ("batch_id", *RATER))
    rows = [RATER | {"batch_id": batches[0].pk, "key_hash": str(n) * 64, "code": f"R{n}"} for n in range(3)]
    with CaptureQueriesContext(connection) as queries:
        people.many(rows)
    assert len(queries) == 1
    assert list(Rater.objects.order_by("code").values_list("code", "key_hash")) == [
        (one["code"], one["key_hash"]) for one in rows
    ]


def test_a_row_may_come_from_another_table(batches):
    @prepared
    def namesakes(key_hash, code, rater):
        given = {name: Value(value) for name, value in RATER.items() if name not in {"key_hash", "code"}}
        columns = [given.get(name, name) for name in RATER]
        columns[list(RATER).index("key_hash")] = key_hash
        columns[list(RATER).index("code")] = code
        columns[list(RATER).index("withdrawn_at")] = "withdrawn_at"
        return Rater.objects.filter(pk=rater).order_by().values_list("batch_id", *columns)

    people = PreparedInsert(Rater, ("batch_id", *RATER), once_by=("batch_id", "key_hash"))
    known = Rater.objects.create(**RATER | {"batch": batches[0], "withdrawn_at": NOW})
    copied = {"key_hash": "c" * 64, "code": "R9"}
    key = people.one_from(namesakes, rater=known.pk, **copied)
    assert _columns(Rater.objects.get(pk=key)) == _columns(known) | copied | {"id": key}
    assert people.one_from(namesakes, rater=known.pk, **copied) is None  # it is there
    assert people.one_from(namesakes, rater=0, **copied | {"key_hash": "d" * 64}) is None


def test_a_column_that_is_forgotten_is_named(batches):
    rater = make_rater(batches[0])
    with pytest.raises(TypeError, match=r"survey\.Consent is stored whole or not at all: given_at\."):
        PreparedInsert(Consent, ("rater_id", "text_id")).one(rater_id=rater.pk, text_id=1)
