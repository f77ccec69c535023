"""Open, personal and panel links: the same person is the same rater, and nothing tells who it is."""

import csv
import logging
import re

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from survey_site.batches.services import close_batch, launch_batch
from survey_site.common.errors import ConflictError, InvalidInputError, NotAllowedError
from survey_site.survey.models import Assignment, Rater
from survey_site.survey.people.identity import invitation_code, panel_secret
from survey_site.survey.people.joining import hash_key, join_batch
from survey_site.survey.people.participation import (
    ParticipationSettings,
    create_invitations,
    read_participation,
    save_participation,
)
from tests.factories.batches import NOW, make_batch
from tests.survey_site.survey.pages.test_pages import answer_all

pytestmark = pytest.mark.django_db
PERSON = "5f3c1a9e77aa01"


def make_entry_batch(entry, **settings):
    batch = make_batch(launched=False)
    save_participation(batch=batch, settings=ParticipationSettings(entry=entry, **settings), now=NOW)
    return launch_batch(batch=batch, now=NOW)


def url(name, batch, *args):
    return reverse(f"survey:{name}", args=[batch.token, *args])


def enter(client, address):
    """Open a link and press start on the page it leads to; where that led."""
    page = client.get(address, follow=True)
    key = re.search(r'name="key" value="([^"]+)"', page.content.decode())
    start = re.search(r'action="([^"]+/start/)"', page.content.decode()).group(1)
    return client.post(start, {"key": key.group(1)} if key else {}).url


def panel_link(batch, person=PERSON, parameter="PROLIFIC_PID"):
    return f"{url('join', batch)}?{parameter}={person}&STUDY_ID=study9&SESSION_ID=session9"


def test_a_personal_link_is_one_person_on_every_device():
    batch = make_entry_batch("invitation")
    link = url("invited", batch, invitation_code(batch, 1))
    places = {enter(Client(), link) for _ in range(3)}
    assert (len(places), Rater.objects.get().entry) == (1, "invitation")
    assert enter(Client(), url("invited", batch, invitation_code(batch, 2))) not in places
    assert Rater.objects.count() == 2


def test_a_personal_link_works_where_anybody_may_take_part():
    batch = make_entry_batch("open")
    link = url("invited", batch, invitation_code(batch, 1))
    assert enter(Client(), link) == enter(Client(), link)


def test_a_forged_link_and_one_of_another_batch_are_refused(client):
    batch, other = make_entry_batch("invitation"), make_entry_batch("invitation")
    genuine = invitation_code(batch, 1)
    for code in (genuine.replace("1~", "2~"), genuine[:-1], "1", invitation_code(other, 1)):
        response = client.get(url("invited", batch, code))
        assert (response.status_code, "rater" in client.cookies) == (404, False)


@pytest.mark.parametrize("entry", ["invitation", "panel"])
def test_the_bare_link_then_leads_nobody_in(client, entry):
    batch = make_entry_batch(entry)
    page = client.get(url("join", batch))
    assert (page.status_code, "link that you were sent" in page.content.decode()) == (403, True)
    with pytest.raises(NotAllowedError):
        join_batch(batch=batch, secret="a", consent=1, now=NOW)
    open_key = re.search(
        r'name="key" value="([^"]+)"', client.get(url("join", make_batch())).content.decode()
    )
    assert client.post(url("start", batch), {"key": open_key.group(1)}).status_code == 403
    assert Rater.objects.count() == 0


def test_a_panel_member_is_one_person_on_every_device_under_a_clean_address():
    batch = make_entry_batch("panel")
    response = Client().get(panel_link(batch))
    assert (response.status_code, response.url) == (302, url("join", batch))
    assert enter(Client(), panel_link(batch)) == enter(Client(), panel_link(batch))
    assert enter(Client(), panel_link(batch, person="another")) != enter(Client(), panel_link(batch))
    assert list(Rater.objects.values_list("entry", flat=True)) == ["panel", "panel"]


def test_the_name_of_the_id_can_be_set(client):
    batch = make_entry_batch("panel", panel_parameter="participantId")
    assert client.get(panel_link(batch)).status_code == 403
    assert client.get(panel_link(batch, person="%20")).status_code == 403
    assert client.get(panel_link(batch, parameter="participantId")).status_code == 302


def test_no_id_is_read_where_no_panel_is_asked_for(client):
    assert client.get(panel_link(make_entry_batch("open"))).status_code == 200
    assert "rater" not in client.cookies


def every_stored_text():
    """Every value of every table as text, so that nothing stored is overlooked."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")  # noqa: S608
            for row in cursor.fetchall():
                yield from map(str, row)


def test_the_panel_s_id_is_nowhere_in_database_log_cookie_or_page(caplog):
    caplog.set_level(logging.DEBUG)
    batch, client = make_entry_batch("panel"), Client()
    response = client.get(panel_link(batch))
    page = client.get(enter(client, panel_link(batch)))
    sent = [response.serialize().decode(), page.serialize().decode(), client.cookies.output()]
    for trace in (PERSON, "study9", "session9"):
        assert [text for text in [*every_stored_text(), *sent, caplog.text] if trace in text] == []
    assert Rater.objects.get().key_hash == hash_key(panel_secret(batch, PERSON))
    assert "/s/<str:token>/" in caplog.text
    assert Assignment.objects.get().code in "".join(every_stored_text())  # the search does look everywhere


def test_the_same_id_in_two_batches_cannot_be_linked(settings):
    one, two = make_entry_batch("panel"), make_entry_batch("panel")
    secret = panel_secret(one, PERSON)
    assert secret != panel_secret(two, PERSON)
    settings.SECRET_KEY = "another key"
    assert secret != panel_secret(one, PERSON)


def staff_url(name, batch):
    return reverse(f"batches:{name}", args=[batch.pk])


def test_admins_make_links_and_download_them(admin_client, researcher_client):
    batch = make_entry_batch("invitation")
    for _ in range(2):
        assert admin_client.post(staff_url("add-invitations", batch), {"count": 3}).status_code == 302
    lines = list(csv.reader(admin_client.get(staff_url("invitations", batch)).content.decode().splitlines()))
    assert lines[0] == ["number", "link"]
    assert [line[0] for line in lines[1:]] == ["1", "2", "3", "4", "5", "6"]
    assert lines[6][1] == "http://testserver" + url("invited", batch, invitation_code(batch, 6))
    assert "/q/" in enter(Client(), lines[6][1].removeprefix("http://testserver"))
    assert researcher_client.get(staff_url("invitations", batch)).status_code == 403
    assert researcher_client.post(staff_url("add-invitations", batch), {"count": 3}).status_code == 403
    assert admin_client.post(staff_url("add-invitations", batch), {"count": 0}).status_code == 422
    assert read_participation(batch).invitations == 6


def test_too_many_links_at_once_are_refused():
    with pytest.raises(InvalidInputError, match="1001"):
        create_invitations(batch=make_batch(), count=1001, now=NOW)


def test_links_survive_a_change_of_settings():
    batch = make_batch(launched=False)
    create_invitations(batch=batch, count=4, now=NOW)
    save_participation(batch=batch, settings=ParticipationSettings(entry="panel"), now=NOW)
    assert read_participation(batch).invitations == 4


def test_no_links_are_made_for_a_closed_batch(admin_client):
    batch = make_entry_batch("invitation")
    create_invitations(batch=batch, count=2, now=NOW)
    close_batch(batch=batch, now=NOW)
    with pytest.raises(ConflictError, match="closed"):
        create_invitations(batch=batch, count=3, now=NOW)
    assert admin_client.post(staff_url("add-invitations", batch), {"count": 3}).status_code == 409
    assert read_participation(batch).invitations == 2


@pytest.mark.parametrize(("entry", "kept"), [("open", "Ada"), ("panel", "")])
def test_panel_members_are_asked_no_name_and_none_that_is_sent_is_kept(client, entry, kept):
    batch = make_entry_batch(entry, asks_name=True)
    page = client.get(panel_link(batch) if entry == "panel" else url("join", batch), follow=True)
    html = page.content.decode()
    assert 'name="key"' in html
    assert ('name="name"' in html) is bool(kept)
    key = re.search(r'name="key" value="([^"]+)"', html).group(1)
    client.post(url("start", batch), {"key": key, "name": "Ada"})
    assert Rater.objects.get().name == kept


UNFILLED = [
    "{{%PROLIFIC_PID%}}",
    "%7B%7B%25PROLIFIC_PID%25%7D%7D",
    "%257B%257BPROLIFIC_PID%257D%257D",
    "${e://Field/PID}",
    "$PID",
    "[[pid]]",
    "%25PID%25",
    "<id>",
    "%ff%fe1",
    "\xff1",
    "undefined",
    "Null",
    '"None"',
    "n/a",
    "*|EMAIL|*",
    "ASSIGNMENT_ID_NOT_AVAILABLE",
    "PROLIFIC_PID",
    "participantId",
    "YOUR-ID-HERE",
    "xxxx",
    "...",
]


@pytest.mark.parametrize("person", UNFILLED)
def test_a_panel_link_that_names_nobody_lets_nobody_in(person):
    batch = make_entry_batch("panel", completed_code="DONE1234", limit=1, contact="Write to us@example.org")
    query = panel_link(batch, person=person).split("?")[1].encode().decode("latin-1")
    if person == "\xff1":
        query = f"PROLIFIC_PID={person}"  # one byte, as an old form sends it
    for client in (Client(), Client(), Client()):
        page = client.get(url("join", batch), QUERY_STRING=query, follow=True)
        assert (page.status_code, "rater" in client.cookies) == (403, False)
        assert "us@example.org" in page.content.decode()
    assert list(batch.notices.values_list("kind", flat=True)) == ["unfilled"]


@pytest.mark.parametrize(
    "person", [PERSON, "A1B2C3D4E5F6G7", "worker12", "7", "José", "ann@example.org", "Nadia", "p-4_2.x", "x"]
)
def test_a_panel_s_id_lets_in(client, person):
    batch = make_entry_batch("panel")
    assert client.get(panel_link(batch, person=person)).status_code == 302
    assert not batch.notices.exists()


def test_one_id_in_many_browsers_is_held_back_and_its_person_keeps_their_way(admin_client):
    """The fourth one is let in no more, though staff are warned as of the third."""
    batch = make_entry_batch("panel", completed_code="DONE1234", limit=1)
    monitor = reverse("batches:monitor", args=[batch.pk])
    first, others = Client(), [Client() for _ in range(4)]
    answer_all(first, enter(first, panel_link(batch)))
    rater = Rater.objects.get()
    assert rater.browsers == 1
    warned, shown = [], []
    for browser in others:
        page = browser.get(panel_link(batch), follow=True)
        shown.append((page.status_code, "DONE1234" in page.content.decode()))
        warned.append("several browsers" in admin_client.get(monitor).content.decode())
    assert shown == [(200, True)] * 2 + [(403, False)] * 2
    assert warned == [False, True, True, True]
    assert [one.browsers for one in Rater.objects.all()] == [5]
    for browser in (first, others[0]):
        assert "DONE1234" in browser.get(panel_link(batch), follow=True).content.decode()
