"""What is archived leaves the lists, and nothing else changes."""

import pytest
from django.db import IntegrityError, transaction

from survey_site.accounts.audit import audit_entries
from survey_site.batches.models import Batch
from survey_site.common.errors import ConflictError
from survey_site.keeping.archiving import archive, take_out
from survey_site.reports.queries import reportable_batches
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

LISTS = {"batch": "/batches/", "report": "/reports/", "corpus": "/corpora/"}
FOUND = {"": [], "?archive=only": [True], "?archive=with": [True], "?archive=nonsense": []}


@pytest.fixture
def things(batch, report):
    return {"batch": batch, "report": report, "corpus": batch.corpus}


@pytest.fixture
def users(researcher, admin):
    return {"researcher": researcher, "admin": admin, "another": make_user(username="otto")}


@pytest.mark.parametrize("kind", LISTS)
def test_lists_leave_out_what_is_archived_unless_it_is_asked_for(kind, things, admin_client):
    thing = things[kind]
    assert list(admin_client.get(LISTS[kind]).context["page"]) == [thing]
    answer = admin_client.post(f"/keep/{kind}/{thing.pk}/archive/", follow=True)
    assert "Archived: lists leave it out" in answer.content.decode()
    shown = {query: list(admin_client.get(LISTS[kind] + query).context["page"]) for query in FOUND}
    assert shown == {query: [thing] * len(found) for query, found in FOUND.items()}
    assert admin_client.get(thing.get_absolute_url()).status_code == 200
    admin_client.post(f"/keep/{kind}/{thing.pk}/take-out/")
    assert list(admin_client.get(LISTS[kind]).context["page"]) == [thing]


def test_both_acts_are_written_down_once(batch, admin):
    for _ in range(2):
        archive(thing=batch, now=NOW, by=admin)
    for _ in range(2):
        take_out(thing=batch, now=NOW, by=admin)
    entries = audit_entries(subject=("batches.batch", batch.pk))[:2]
    assert [(entry.action, entry.actor_name) for entry in entries] == [
        ("batch taken out of the archive", "adam"),
        ("batch archived", "adam"),
    ]


@pytest.mark.parametrize("launched", [False, True])
def test_a_batch_that_is_not_closed_stays_out_of_the_archive(launched, db):
    batch = make_batch(launched=launched)
    with pytest.raises(ConflictError, match="is not closed"):
        archive(thing=batch, now=NOW)
    with pytest.raises(IntegrityError, match="batch_archived_is_closed"), transaction.atomic():
        Batch.objects.filter(pk=batch.pk).update(archived_at=NOW)


def test_choices_leave_out_what_is_archived(batch, admin_client):
    corpus = make_corpus(name="Old")
    assert list(reportable_batches()) == [batch]
    for thing in (batch, corpus):
        archive(thing=thing, now=NOW)
    assert list(reportable_batches()) == []
    assert list(admin_client.get("/batches/new/").context["corpora"]) == [batch.corpus]
    offered = admin_client.get("/batches/upload/").context["form"].fields["corpus"].queryset
    assert list(offered) == [batch.corpus]


@pytest.mark.parametrize(
    "case",
    [
        ("batch", "researcher", 403),
        ("corpus", "researcher", 403),
        ("report", "researcher", 302),
        ("report", "another", 403),
        ("report", "admin", 302),
        ("nothing", "admin", 404),
    ],
)
def test_researchers_remove_their_own_reports_and_admins_anything(case, things, users, client):
    kind, who, status = case
    client.force_login(users[who])
    thing = things.get(kind, things["batch"])
    assert client.post(f"/keep/{kind}/{thing.pk}/archive/").status_code == status
    if kind in things:
        page = client.get(thing.get_absolute_url()).content.decode()
        assert (f"/keep/{kind}/" in page) == (status == 302)


def test_who_is_not_logged_in_is_sent_to_the_log_in(batch, client):
    answer = client.post(f"/keep/batch/{batch.pk}/archive/")
    assert (answer.status_code, answer.url.startswith("/accounts/login/")) == (302, True)


def test_nothing_new_is_planned_on_an_archived_corpus(admin_client):
    corpus = make_corpus()
    archive(thing=corpus, now=NOW)
    corpus.refresh_from_db()
    page = admin_client.get(corpus.get_absolute_url()).content.decode()
    assert ("Plan a batch" in page, "Upload ratings" in page) == (False, False)
    answer = admin_client.get(f"/batches/new/?corpus={corpus.pk}")
    assert (answer.status_code, "is archived: nothing new" in answer.content.decode()) == (409, True)
    with pytest.raises(ConflictError, match="is archived"):
        make_batch(corpus=corpus)
    take_out(thing=corpus, now=NOW)
    assert "Plan a batch" in admin_client.get(corpus.get_absolute_url()).content.decode()
