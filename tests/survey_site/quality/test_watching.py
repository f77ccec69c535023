"""Agreement and flags on the monitor: there when asked for, kept for a while, never waited for unasked."""

import html
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from survey_site.quality import kept
from survey_site.quality.kept import known_of, look_into
from survey_site.quality.services import exclude_rater
from survey_site.quality.watching import quality_so_far
from survey_site.survey.models import Rater
from survey_site.survey.rating.services import claim_questionnaire, submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import make_rater

pytestmark = pytest.mark.django_db


def rated_batch(*values_of):
    """Twelve documents; each rater completes all, giving value_of(placement)."""
    batch = make_batch(corpus=make_corpus(documents=12, systems=4), systems_per_questionnaire=4)
    for value_of in values_of:
        rater = make_rater(batch)
        while claim := claim_questionnaire(rater=rater, now=NOW):
            answers = {one.code: value_of(one) for one in claim.placements.all()}
            submit_questionnaire(assignment=claim, answers=answers, now=NOW + timedelta(hours=1))
    return batch


def so_far(batch):
    return quality_so_far(batch, look_into(batch, now=NOW, ask=None))


def by_item(placement):
    return 1 + placement.item_id % 6


def all_alike(_placement):
    return 4


def text_of(response):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def test_agreement_and_flags_are_those_of_the_quality_page():
    batch = rated_batch(by_item, by_item)
    found = so_far(batch)
    assert (found.agreement.title, found.units) == ("Krippendorff's alpha, ordinal", 60)
    assert found.agreement.estimate == pytest.approx(1.0)
    assert found.agreement.interval.low == pytest.approx(1.0)
    assert (found.flagged, found.checked) == (0, 2)
    careless = rated_batch(by_item, all_alike)
    found = so_far(careless)
    assert (found.flagged, found.checked) == (1, 2)


def test_a_decision_unflags_a_rater():
    batch = rated_batch(by_item, all_alike)
    careless = Rater.objects.filter(batch=batch).last()
    exclude_rater(rater=careless, reason="all alike", now=NOW)
    assert so_far(batch).flagged == 0


def test_numbers_are_computed_only_when_asked_for_and_then_kept(monkeypatch):
    batch = rated_batch(by_item)
    assert quality_so_far(batch, known_of(batch)) is None
    first = so_far(batch)
    monkeypatch.setattr(kept, "find_out", None)
    assert so_far(batch) == quality_so_far(batch, known_of(batch)) == first


def test_the_monitor_shows_what_is_known_and_offers_the_rest(researcher_client):
    batch = rated_batch(by_item, all_alike)
    monitor = batch.get_absolute_url()
    assert "Compute them now" in text_of(researcher_client.get(monitor))
    text = text_of(researcher_client.get(f"{monitor}?quality=now"))
    assert "raters flagged, of 2 who submitted a questionnaire 1" in text
    assert "Look at the flagged rater" in text
    assert "raters flagged" in text_of(researcher_client.get(monitor))


def test_the_fragment_computes(researcher_client):
    fragment = reverse("quality:so-far", args=[rated_batch(by_item).pk])
    text = text_of(researcher_client.get(fragment))
    assert "Krippendorff's alpha, ordinal too early" in text
    assert "0 pairs have two ratings or more, at least 10 are needed." in text


def test_only_staff_read_it(client, researcher_client):
    assert client.get(reverse("quality:so-far", args=[make_batch().pk])).status_code == 302
    draft = make_batch(launched=False)
    assert researcher_client.get(reverse("quality:so-far", args=[draft.pk])).status_code == 404
