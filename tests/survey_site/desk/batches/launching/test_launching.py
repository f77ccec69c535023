"""The page that launches: what it checks, what blocks, what has to be confirmed."""

import html
import re

import pytest
from django.urls import reverse

from survey_site.batches.launch_rules import RULES, EqualPairs
from survey_site.batches.planning import plan_batch
from survey_site.batches.services import BatchSettings, update_batch
from survey_site.corpus.models import Summary
from survey_site.desk.batches.launching.facts import count_equal_pairs
from survey_site.survey.people.participation import (
    ParticipationSettings,
    create_invitations,
    save_participation,
)
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db


def make_draft(*, systems=5, **settings):
    return make_batch(corpus=make_corpus(systems=systems), launched=False, **settings)


def address_of(batch):
    return reverse("batches:launch", args=[batch.pk])


def checks_on(response):
    """The lines of the page: for each rule its badge and what it says."""
    lines = re.findall(r'<li class="checks__line.*?</li>', response.content.decode(), re.DOTALL)
    plain = [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", line)).split()) for line in lines]
    return {rule.title: line for rule in RULES for line in plain if f" {rule.title}. " in line}


def status_of(batch):
    batch.refresh_from_db()
    return batch.status


def test_every_rule_has_a_line_with_a_page_that_is_there(admin_client):
    draft = make_draft()
    response = admin_client.get(address_of(draft))
    assert list(checks_on(response)) == [rule.title for rule in RULES]
    places = {tuple(address.partition("#")[::2]) for _, address in response.context["checks"]}
    pages = {page: admin_client.get(page) for page, _ in places}
    assert {answer.status_code for answer in pages.values()} == {200}
    lost = [place for page, place in places if place and f'id="{place}"' not in pages[page].content.decode()]
    assert lost == []


def test_an_error_blocks_the_launch_also_where_all_is_confirmed(admin_client):
    draft = make_draft(systems=2)
    assert checks_on(admin_client.get(address_of(draft)))["Systems"].startswith("Blocks Systems. 2 systems.")
    response = admin_client.post(address_of(draft), {"confirmed": "on"})
    assert (response.status_code, status_of(draft)) == (422, "draft")
    assert "1 check blocks the launch" in response.content.decode()


def test_warnings_are_confirmed_before_the_launch(admin_client):
    draft = make_draft(systems=3)
    response = admin_client.post(address_of(draft))
    assert (response.status_code, status_of(draft)) == (422, "draft")
    assert "Not launched yet" in response.content.decode()
    response = admin_client.post(address_of(draft), {"confirmed": "on"})
    assert (response.url, status_of(draft), draft.questionnaires.count()) == (
        draft.get_absolute_url(),
        "live",
        2,
    )
    assert admin_client.post(address_of(draft)).url == draft.get_absolute_url()


def test_a_preview_counts_until_the_plan_is_changed(admin_client):
    draft = make_draft()
    seen = [checks_on(admin_client.get(address_of(draft)))["Preview"]]
    admin_client.get(reverse("batches:preview", args=[draft.pk]))
    seen.append(checks_on(admin_client.get(address_of(draft)))["Preview"])
    update_batch(batch=draft, settings=BatchSettings(name="Pilot", question="How close?"), now=NOW)
    seen.append(checks_on(admin_client.get(address_of(draft)))["Preview"])
    assert [one.split()[0] for one in seen] == ["Warning", "Fine", "Warning"]


def test_the_price_is_that_of_the_rate_in_the_address(admin_client):
    draft = make_draft()
    line = checks_on(admin_client.get(address_of(draft) + "?rate=600"))["Time and price"]
    minutes, price = re.search(r"About (\d+) minutes of.*: ([\d.]+) at 600.00 an hour", line).groups()
    assert float(price) / 10 == pytest.approx(int(minutes), abs=0.5)
    assert "State below" in checks_on(admin_client.get(address_of(draft) + "?rate=much"))["Time and price"]


def test_who_gets_no_code_and_who_has_no_link_is_told(admin_client):
    draft = make_draft()

    def way_in(**settings):
        save_participation(batch=draft, settings=ParticipationSettings(**settings), now=NOW)
        return checks_on(admin_client.get(address_of(draft)))["Way in and codes"]

    panel = {"entry": "panel", "completed_code": "A"}
    assert "too late get no code. No address of the panel takes the codes" in way_in(**panel)
    panel |= {"no_place_code": "B", "return_address": "https://panel.example/?cc={code}"}
    assert way_in(**panel).startswith("Fine")
    assert "the plan has no control pairs" in way_in(**panel, failed_code="C", failed_controls=1)
    assert "no link is made yet" in way_in(entry="invitation")
    create_invitations(batch=draft, count=1, now=NOW)
    assert way_in(entry="invitation").startswith("Fine")


def test_what_the_first_page_does_not_say_is_told(admin_client):
    draft = make_draft()
    missing = checks_on(admin_client.get(address_of(draft)))["Consent"]
    assert "Who runs this study, Contact, Approval number, How long answers are kept." in missing
    said = {"researchers": "A", "contact": "B", "approval": "C", "kept_for": "D"}
    save_participation(batch=draft, settings=ParticipationSettings(**said), now=NOW)
    assert checks_on(admin_client.get(address_of(draft)))["Consent"].startswith("Fine")


def test_equal_pairs_are_counted_over_the_plan():
    corpus = make_corpus(documents=1, readers=2, systems=3)
    Summary.objects.filter(system__name__in=["System1", "System2"], reader__key="reader1").update(text="one")
    Summary.objects.filter(system__name="System1", reader__key="reader2").update(text="other")
    Summary.objects.filter(system__name="System2", reader__key="reader2").update(text="other")
    Summary.objects.filter(system__name="System3").update(text="alike")
    draft = make_batch(corpus=corpus, launched=False)
    assert count_equal_pairs(draft, plan_batch(draft)) == EqualPairs(pairs=4, again=2, same=1, spared=1)
