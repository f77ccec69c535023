"""Control items of a batch: planned, stored, balanced, previewed, and in no count of ratings."""

import re
from collections import Counter

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse

from meta_eval.corpus.documents import GOLD
from survey_site.batches.description import describe_plan
from survey_site.batches.item_counts import SystemCount
from survey_site.batches.models import Item
from survey_site.batches.queries import batch_effort, batch_progress, rater_totals
from survey_site.corpus.models import Document
from survey_site.desk.batches.planning.forms import BatchForm
from survey_site.survey.models import AssignmentItem
from survey_site.survey.pages.questionnaire import assignment_view
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db


def make_checked_batch(*, documents=4, identical=100, unrelated=100, launched=True, **settings):
    return make_batch(
        corpus=make_corpus(documents=documents),
        identical_share=identical,
        unrelated_share=unrelated,
        launched=launched,
        **settings,
    )


def controls_of(batch):
    return Item.objects.filter(questionnaire__batch=batch).exclude(control="")


def test_every_questionnaire_has_its_controls_and_nothing_else_changes():
    batch = make_checked_batch()
    plain = make_batch(corpus=batch.corpus)
    rows = ("questionnaire__number", "questionnaire__document__key", "system__name")
    scored = Item.objects.filter(questionnaire__batch=batch, control="").order_by("pk")
    assert list(scored.values_list(*rows)) == list(
        Item.objects.filter(questionnaire__batch=plain).order_by("pk").values_list(*rows)
    )
    assert scored.count() == 12
    counts = Counter(controls_of(batch).values_list("questionnaire__number", "control"))
    assert counts == {(number, kind): 1 for number in (1, 2, 3, 4) for kind in ("identical", "unrelated")}


def test_a_share_of_the_questionnaires_has_controls_and_the_seed_says_which():
    def chosen(seed):
        batch = make_checked_batch(documents=8, identical=50, unrelated=25, seed=seed)
        return list(controls_of(batch).order_by("pk").values_list("questionnaire__document__key", "texts"))

    assert len(chosen(1)) == 4 + 2
    assert chosen(1) == chosen(1)
    assert chosen(1) != chosen(2)


def test_a_rater_meets_one_text_twice_and_texts_on_two_documents():
    batch = make_checked_batch()
    assignment = make_assignment(batch)
    document = assignment.questionnaire.document.key.removeprefix("doc")
    by_kind = {
        one.item.control: pair
        for one, pair in zip(
            assignment.placements.order_by("position"), assignment_view(assignment).pairs, strict=True
        )
    }
    assert by_kind["identical"].left == by_kind["identical"].right
    assert by_kind["identical"].left.split()[1] == document
    documents = {by_kind["unrelated"].left.split()[1], by_kind["unrelated"].right.split()[1]}
    assert document in documents
    assert len(documents) == 2


def test_controls_stand_equally_often_in_each_position_and_side():
    batch = make_checked_batch(documents=5, raters=2)
    while batch_progress(batch, now=NOW).percent < 100:
        rater = make_rater(batch)
        for _ in range(5):
            submit_all(make_assignment(batch, rater=rater))
    rows = AssignmentItem.objects.values_list("item__control", "item__system__name", "position", "flipped")
    positions = Counter((control, system, position) for control, system, position, _ in rows)
    sides = Counter((control, system, flipped) for control, system, _, flipped in rows)
    names = [("identical", None), ("unrelated", None), ("", None), ("", "System1"), ("", "System2")]
    assert positions == {(*name, position): 2 for name in names for position in (1, 2, 3, 4, 5)}
    assert sides == {(*name, flipped): 5 for name in names for flipped in (False, True)}


def test_the_schema_keeps_controls_apart_from_systems_and_gold():
    batch = make_checked_batch()
    questionnaire = batch.questionnaires.first()
    system = batch.systems.first()
    for wrong in (
        {"control": "identical"},  # a second one
        {"control": "obvious"},
        {"control": "", "system": None},  # a second gold pair
        {"control": "unrelated", "system": system},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Item.objects.create(questionnaire=questionnaire, **wrong)
    gold = questionnaire.items.get(system=None, control="")
    assert [item.pk for item in questionnaire.items.all() if item.is_gold] == [gold.pk]
    batch.identical_share = 101
    with pytest.raises(IntegrityError), transaction.atomic():
        batch.save()


def test_progress_counts_controls_apart():
    batch = make_checked_batch(documents=2, unrelated=0)
    submit_all(make_assignment(batch))
    progress = batch_progress(batch, now=NOW)
    assert progress.systems == tuple(SystemCount(name, 2, 1, 4) for name in (None, "System1", "System2"))
    assert progress.controls == (SystemCount(None, 2, 1, 4, "identical"),)
    assert (progress.ratings, progress.ratings_wanted) == (3, 12)
    assert [one.ratings for one in rater_totals(batch)] == [3]


def test_effort_pays_for_controls():
    plain, checked = (batch_effort(make_checked_batch(identical=n, unrelated=n)) for n in (0, 100))
    assert (plain.items, plain.controls, plain.ratings) == (12, 0, 24)
    assert (checked.items, checked.controls, checked.ratings) == (20, 8, 40)
    assert checked.minutes_each - plain.minutes_each > 20 / 60


def test_more_raters_meet_controls_in_places_of_their_own(admin_client):
    batch = make_checked_batch(raters=1)
    admin_client.post(reverse("batches:extend", args=[batch.pk]), {"raters": 1})
    assert {len(item.places) for item in controls_of(batch)} == {2}
    assert {
        position
        for number in (1, 2)
        for item in Item.objects.filter(questionnaire__batch=batch, questionnaire__number=number)
        for position, _ in item.places
    } == {1, 2, 3, 4, 5}


def test_an_unrelated_pair_needs_a_second_document_in_its_language():
    with pytest.raises(ValidationError, match="second document") as caught:
        make_checked_batch(documents=1, identical=0)
    assert list(caught.value.message_dict) == ["unrelated_share"]
    corpus = make_corpus(documents=2)
    Document.objects.filter(corpus=corpus, key="doc2").update(language="ar")
    with pytest.raises(ValidationError, match="second document in the language of doc"):
        make_batch(corpus=corpus, unrelated_share=100)


def test_the_plan_page_asks_saves_and_shows_what_controls_cost(admin_client):
    batch = make_checked_batch(launched=False, identical=0, unrelated=0)
    page = reverse("batches:edit", args=[batch.pk])
    fields = {
        "name": "Pilot",
        "systems": [system.pk for system in batch.systems.all()],
        "documents": 4,
        "seed": 0,
        "reader_pairs": 1,
        "systems_per_questionnaire": 5,
        "raters": 2,
        "scale": "similarity",
        "claim_minutes": 60,
    }
    assert b"Questionnaires with an identical pair" in admin_client.get(page).content
    assert admin_client.post(page, fields | {"identical_share": 101}).status_code == 422
    assert admin_client.post(page, fields | {"identical_share": 50, "unrelated_share": ""}).status_code == 302
    batch.refresh_from_db()
    assert batch.control_shares == (50, 0)
    draft = admin_client.get(reverse("batches:monitor", args=[batch.pk])).content.decode()
    assert "An identical pair in 50 % of the questionnaires, an unrelated one in 0 %" in draft
    assert "<dt>of them controls</dt><dd>2</dd>" in draft
    assert BatchForm(fields | {"unrelated_share": 100}, corpus=batch.corpus).effort()[0].controls == 4


@pytest.mark.parametrize("launched", [False, True])
def test_the_preview_tells_the_admin_and_marks_nothing(admin_client, launched):
    batch = make_checked_batch(launched=launched)
    page = admin_client.get(reverse("batches:preview", args=[batch.pk]), {"number": 2}).content.decode()
    frame, form = page.split('<form class="stack', 1)
    labels = re.findall(r"<li>([^<]+)</li>", frame)
    words = re.findall(r'<p class="pair__words"[^>]*>([^<]*)</p>', form)
    shown = dict(zip(labels, zip(words[::2], words[1::2], strict=True), strict=True))
    authors = {"Gold reference": "reference .", "System1": "summary . 1", "System2": "summary . 2"}
    for label, author in authors.items():
        assert all(re.match(author, text) for text in shown.pop(label))
    identical, unrelated = (shown.pop(one) for one in sorted(shown))
    assert identical[0] == identical[1]
    assert unrelated[0].split()[1] != unrelated[1].split()[1]
    assert not any(label.lower() in form.lower() for label in labels)


def test_the_monitor_shows_controls_apart(admin_client):
    batch = make_checked_batch(unrelated=0)
    page = admin_client.get(reverse("batches:monitor", args=[batch.pk])).content.decode()
    assert 'Identical pair <span class="badge">control, in no score</span>' in page
    assert "Unrelated pair" not in page


def test_the_described_plan_keeps_controls_beside_the_items():
    batch = make_checked_batch(unrelated=50)
    plan = describe_plan(batch)
    assert (plan["options"]["identical_share"], plan["options"]["unrelated_share"]) == (100, 50)
    assert [len(one["items"]) for one in plan["questionnaires"]] == [3] * 4
    controls = [control for one in plan["questionnaires"] for control in one["controls"]]
    assert Counter(control["control"] for control in controls) == {"identical": 4, "unrelated": 2}
    identical = controls[0]["texts"]
    assert identical[0] == identical[1]
    assert identical[0][1] in {GOLD, "System1", "System2"}
    assert len(controls[0]["places"]) == 2
