"""Ways round the gate: kept answers, logs of webhooks, strangers, and names that read as numbers."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.test import Client

from survey_site.accounts import projects as writes
from survey_site.notices.models import Notice, NoticeKind
from survey_site.notices.services import notify
from survey_site.projects.access import visible
from survey_site.webhooks.delivering import spread_events
from survey_site.webhooks.models import Delivery
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.webhooks import make_webhook

pytestmark = pytest.mark.django_db


def test_a_stranger_sees_no_row_not_even_where_rows_have_owners():
    notify(kind=NoticeKind.COMPLETE, batch=make_batch(), key="1", now=NOW)
    assert list(visible(Notice.objects.all(), AnonymousUser())) == []


def test_a_kept_answer_is_not_given_to_who_was_removed_since():
    program, corpus = make_program("researcher"), make_corpus()
    asked = {"corpus": corpus.pk, "measure": "jsd"}
    first = program.post("score-runs/", asked, Idempotency_Key="once")
    again = program.post("score-runs/", asked, Idempotency_Key="once")
    program.user.projects.clear()
    late = program.post("score-runs/", asked, Idempotency_Key="once")
    assert [one.status_code for one in (first, again, late)] == [202, 202, 404]


def test_the_log_of_a_webhook_hides_what_its_owner_may_not_see_any_more(admin):
    program = make_program("researcher")
    endpoint = make_webhook("https://example.org/", owner=program.user)
    make_batch()
    spread_events(now=NOW)
    delivery = Delivery.objects.get()
    address = f"webhooks/{endpoint.pk}/deliveries/"
    browser = Client()
    browser.force_login(program.user)

    def shown():
        listed = len(program.get(address).json()["results"])
        return listed, delivery.event.uid in browser.get(endpoint.get_absolute_url()).text

    before = shown()
    program.user.projects.clear()
    replayed = program.post(f"{address}{delivery.pk}/replay/").status_code
    sent = browser.post(f"{endpoint.get_absolute_url()}deliveries/{delivery.pk}/replay/").status_code
    assert (before, shown(), replayed, sent) == ((1, True), (0, False), 404, 404)
    assert len(make_program("admin").get(address).json()["results"]) == 1


def test_a_name_is_not_taken_for_the_number_of_another_project():
    with pytest.raises(ValidationError, match="taken for the number of a project"):
        writes.make_project(name="17", by=None, now=NOW)


def test_of_two_who_take_a_name_at_once_one_is_told(monkeypatch):
    writes.make_project(name="Team", by=None, now=NOW)
    monkeypatch.setattr(writes, "_checked_name", lambda name, **_but: name)
    with pytest.raises(ValidationError, match="There is a project “Team” already"):
        writes.make_project(name="Team", by=None, now=NOW)
