"""What the launch page and the monitor say of how raters get in: what an admin sends must let them in."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from survey_site.batches.services import close_batch, launch_batch
from survey_site.survey.people.participation import (
    ParticipationSettings,
    create_invitations,
    save_participation,
)
from tests.factories.batches import NOW, make_batch

pytestmark = pytest.mark.django_db


def make_entry_batch(entry, *, launched=True, languages=(), question="", **settings):
    batch = make_batch(launched=False, languages=languages, question=question)
    save_participation(batch=batch, settings=ParticipationSettings(entry=entry, **settings), now=NOW)
    return launch_batch(batch=batch, now=NOW) if launched else batch


def page_of(client, name, batch):
    return client.get(reverse(f"batches:{name}", args=[batch.pk])).content.decode()


def offered_link(page):
    found = re.search(r'value="([^"]+)"[^>]*data-copy-source', page)
    return html.unescape(found.group(1)) if found else None


def test_the_link_of_an_open_batch_lets_anybody_in(admin_client):
    page = page_of(admin_client, "monitor", make_entry_batch("open"))
    assert "Anybody who has it can take part" in page
    assert Client().get(offered_link(page)).status_code == 200


def test_the_link_for_a_panel_asks_for_the_persons_id(admin_client):
    page = page_of(admin_client, "monitor", make_entry_batch("panel", panel_parameter="person"))
    assert "Anybody who has it" not in page
    assert offered_link(page).endswith("/?person=")
    entered = Client().get(offered_link(page) + "5f3c", follow=True)
    assert (entered.status_code, "I agree: start" in entered.content.decode()) == (200, True)


def test_without_an_open_way_in_the_personal_links_stand_there(admin_client, researcher_client):
    batch = make_entry_batch("invitation")
    page = page_of(admin_client, "monitor", batch)
    assert (offered_link(page), "Made so far: 0" in page) == (None, True)
    create_invitations(batch=batch, count=3, now=NOW)
    download = reverse("batches:invitations", args=[batch.pk])
    page = page_of(admin_client, "monitor", batch)
    assert ("Made so far: 3" in page, download in page) == (True, True)
    assert download not in page_of(researcher_client, "monitor", batch)


def test_before_the_launch_an_admin_reads_who_may_take_part_and_what_is_not_translated(admin_client):
    asked = "How close are these two?"
    batch = make_entry_batch("panel", launched=False, languages=["en", "ar"], question=asked, limit=2)
    page = page_of(admin_client, "launch", batch)
    assert "People sent by a panel, and people with a personal link, up to 2 questionnaires each." in page
    assert "Not written in Arabic: question" in page
    assert "<dd>English, Arabic</dd>" in page_of(admin_client, "monitor", batch)


def test_nothing_is_said_to_be_missing_where_nothing_is(admin_client):
    page = page_of(admin_client, "launch", make_entry_batch("open", launched=False, languages=["en", "ar"]))
    assert ("Anybody who has the link." in page, "Not written in" in page) == (True, False)


def test_a_closed_batch_that_nobody_joined_points_to_no_link(admin_client):
    batch = make_entry_batch("open")
    assert "See above how raters get in." in page_of(admin_client, "monitor", batch)
    page = page_of(admin_client, "monitor", close_batch(batch=batch, now=NOW))
    assert ("Nobody took part." in page, "stands above" in page) == (True, False)
