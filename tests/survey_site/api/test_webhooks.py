"""Webhooks by API: made once by key, the secret, the log, replay; and whose they are."""

import pytest

from survey_site.accounts.models import KeptAnswer
from survey_site.webhooks.models import Delivery, Endpoint
from survey_site.webhooks.signing import secret_of
from tests.factories.api import make_program
from tests.factories.webhooks import make_webhook

pytestmark = pytest.mark.django_db
ASKED = {"address": "https://example.org/hook", "events": ["batch.launched"]}


def test_the_same_call_twice_makes_one_and_keeps_no_secret():
    program = make_program("researcher")
    first = program.post("webhooks/", ASKED, Idempotency_Key="once")
    second = program.post("webhooks/", ASKED, Idempotency_Key="once")
    endpoint = Endpoint.objects.get()
    assert (first.status_code, first["Location"]) == (201, f"/api/v1/webhooks/{endpoint.pk}/")
    assert [one.json()["secret"] for one in (first, second)] == [secret_of(endpoint)] * 2
    assert "secret" not in KeptAnswer.objects.get().body
    assert "secret" not in program.get(f"webhooks/{endpoint.pk}/").json()


def test_an_address_inside_and_unknown_events_are_refused_by_field():
    program = make_program("researcher")
    inside = program.post("webhooks/", {**ASKED, "address": "https://192.168.0.1/"})
    unknown = program.post("webhooks/", {**ASKED, "events": ["rater.born"]})
    assert [one.status_code for one in (inside, unknown)] == [422, 422]
    assert [one["field"] for one in inside.json()["errors"]] == ["address"]
    assert [one["field"] for one in unknown.json()["errors"]] == ["events.0"]


def test_the_log_a_test_event_a_replay_a_new_secret_and_the_end():
    program = make_program("researcher")
    endpoint = make_webhook("https://example.org/", owner=program.user)
    path = f"webhooks/{endpoint.pk}/"
    made = program.post(f"{path}test/")
    assert (made.status_code, made.json()["type"], made.json()["state"]) == (201, "webhook.test", "waiting")
    Delivery.objects.update(state="given_up", due_at=None)
    again = program.post(f"{path}deliveries/{made.json()['id']}/replay/").json()
    assert (again["state"], again["event"]) == ("waiting", made.json()["event"])
    [listed] = program.get(f"{path}deliveries/").json()["results"]
    assert (listed["event"], listed["attempts"]) == (made.json()["event"], [])
    before = secret_of(endpoint)
    after = program.post(f"{path}rotate/").json()["secret"]
    assert before != after
    assert after == secret_of(Endpoint.objects.get())
    assert program.ask("DELETE", path).status_code == 204
    assert program.get("webhooks/").json()["results"] == []


def test_researchers_reach_their_own_and_admins_all():
    other = make_webhook("https://example.org/")
    path = f"webhooks/{other.pk}/"
    researcher, admin = make_program("researcher"), make_program("admin")
    assert [researcher.get(path).status_code, admin.get(path).status_code] == [404, 200]
    lists = [one.get("webhooks/").json()["results"] for one in (researcher, admin)]
    assert [[row["id"] for row in one] for one in lists] == [[], [other.pk]]
    assert researcher.get(f"{path}deliveries/").status_code == 404
    assert researcher.post(f"{path}test/").status_code == 404
    assert researcher.ask("DELETE", path).status_code == 404
