"""The page that launches: what it checks, what blocks, what has to be confirmed."""

import html
import re

import pytest
from django.urls import reverse

from survey_site.batches.launch_rules import RULES, EqualPairs
from survey_site.batches.models import Batch
from survey_site.batches.planning import plan_batch
from survey_site.batches.services import BatchSettings, update_batch
from survey_site.corpus.models import Reference, Summary
from survey_site.desk.batches.launching.facts import count_equal_pairs, read_planned_texts
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
    planned = read_planned_texts(draft, plan_batch(draft))
    assert count_equal_pairs(planned) == EqualPairs(pairs=4, again=2, same=1, spared=1, same_by=("System3",))
    assert planned.same_texts == (("System1", "System2"),)


def test_many_pairs_of_one_text_are_a_warning_that_names_who_wrote_them(admin_client):
    corpus = make_corpus(documents=2, readers=2, systems=5)
    Summary.objects.filter(system__name__in=["System1", "System3", "System4"]).update(text="for all")
    line = checks_on(admin_client.get(address_of(make_batch(corpus=corpus, launched=False))))["Equal pairs"]
    assert line.startswith("Warning")
    assert "System1, System3 and System4" in line
    assert "System2" not in line


def test_what_tells_the_gold_pair_is_said_of_the_texts_as_raters_see_them(admin_client):
    """Gold is typed by people, systems leave a space before each mark."""
    corpus = make_corpus(documents=40, readers=2, systems=5)
    for model, mark in ((Reference, ", and a word"), (Summary, " , and a word")):
        rows = list(model.objects.all())
        for row in rows:
            row.text = f"words{mark} {row.pk}"
        model.objects.bulk_update(rows, ["text"])
    draft = make_batch(corpus=corpus, launched=False)
    line = checks_on(admin_client.get(address_of(draft)))["What tells the gold pair"]
    assert line.startswith("Warning")
    assert "100 % are gold (17 % by chance)" in line
    Batch.objects.filter(pk=draft.pk).update(one_typography=True)
    assert checks_on(admin_client.get(address_of(draft)))["What tells the gold pair"].startswith("Fine")
    Summary.objects.update(text="for all")
    line = checks_on(admin_client.get(address_of(draft)))["What tells the gold pair"]
    assert line.startswith("Warning")
    assert "in one typography, so" in line


def test_a_copy_of_the_readers_texts_is_named_before_the_launch(admin_client):
    corpus = make_corpus(documents=2, readers=2, systems=5)
    for row in Reference.objects.filter(document__corpus=corpus):
        written = {"document": row.document, "reader": row.reader, "system__name__in": ["System2", "System5"]}
        Summary.objects.filter(**written).update(text=row.text)
    line = checks_on(admin_client.get(address_of(make_batch(corpus=corpus, launched=False))))["Same texts"]
    assert line.startswith("Warning")
    assert "System2 and System5 wrote the readers’ own texts" in line
