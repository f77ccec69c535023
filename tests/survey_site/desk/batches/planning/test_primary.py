"""Declaring a primary coefficient: in the plan, on its own page once a batch runs, and for admins alone."""

import io

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from survey_site.batches.primary import PrimaryChoice, describe_primary
from survey_site.batches.services import BatchSettings, close_batch, update_batch
from survey_site.common.errors import ConflictError
from survey_site.corpus.queries import load_corpus
from survey_site.quality.freezing import freeze_batch
from survey_site.scoring.given.services import import_distances, remove_distances
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.given import distances_table
from tests.factories.survey import make_assignment, submit_all

pytestmark = pytest.mark.django_db
TAU = PrimaryChoice(coefficient="kendall", surrogate="rouge-l")
SENT = {"primary_coefficient": "pearson", "primary_surrogate": "jsd", "primary_score": "degress"}


def page(batch):
    return reverse("batches:primary", args=[batch.pk])


def planned(corpus, **sent):
    return {
        "name": "Pilot",
        "systems": [system.pk for system in corpus.systems.all()],
        "documents": 1,
        "seed": 0,
        "reader_pairs": 1,
        "systems_per_questionnaire": 5,
        "raters": 2,
        "scale": "similarity",
        "claim_minutes": 60,
        **sent,
    }


def test_it_is_planned_shown_and_offered_for_change(admin_client):
    corpus = make_corpus()
    address = f"{reverse('batches:new')}?corpus={corpus.pk}"
    response = admin_client.post(address, planned(corpus, **SENT), follow=True)
    batch = corpus.batches.get()
    assert batch.primary.in_words in response.content.decode().replace("&#x27;", "'")
    form = admin_client.get(reverse("batches:edit", args=[batch.pk])).context["form"]
    assert {name: form[name].value() for name in SENT} == SENT


def test_a_coefficient_without_surrogate_is_refused_beside_the_field(admin_client):
    corpus = make_corpus()
    address = f"{reverse('batches:new')}?corpus={corpus.pk}"
    response = admin_client.post(address, planned(corpus, primary_coefficient="kendall"))
    assert response.status_code == 422
    assert list(response.context["form"].errors) == ["primary_surrogate"]
    assert not corpus.batches.exists()


def test_once_raters_rated_it_is_changed_with_a_warning(admin_client):
    batch = make_batch(primary=TAU)
    submit_all(make_assignment(batch))
    text = admin_client.get(page(batch)).content.decode()
    assert "ratings already" in text
    assert "every report then says so" in text
    response = admin_client.post(page(batch), SENT, follow=True)
    assert response.redirect_chain[0][0] == batch.get_absolute_url()
    found = describe_primary(batch)
    replaced = [one["coefficient"] for one in found["replaced"]]
    assert (found["coefficient"], replaced) == ("pearson", ["kendall"])
    refused = admin_client.post(page(batch), {})
    assert refused.status_code == 422
    assert "can be changed now, but not taken back" in refused.content.decode()


def test_the_page_of_a_draft_is_its_plan_and_a_frozen_batch_has_none(admin_client):
    draft = make_batch(launched=False)
    assert admin_client.get(page(draft)).url == reverse("batches:edit", args=[draft.pk])
    batch = make_batch(primary=TAU)
    submit_all(make_assignment(batch))
    close_batch(batch=batch, now=NOW)
    freeze_batch(batch=batch, clock=lambda: NOW)
    assert admin_client.get(page(batch)).status_code == 409
    shown = admin_client.get(batch.get_absolute_url()).content.decode()
    assert "DEGRESS-HJ by ROUGE-L, declared on 2 March 2026, before the first rating" in shown
    assert page(batch) not in shown


def test_researchers_see_it_and_do_not_change_it(researcher_client):
    batch = make_batch(primary=TAU)
    assert page(batch) not in researcher_client.get(batch.get_absolute_url()).content.decode()
    assert researcher_client.post(page(batch), SENT).status_code == 403
    assert describe_primary(batch)["coefficient"] == "kendall"


def given_to(corpus, name):
    table = io.BytesIO(distances_table(load_corpus(corpus)))
    return import_distances(corpus=corpus, name=name, files=[("mine.csv", table)], now=NOW).row


def test_declared_distances_from_outside_are_not_removed(admin_client):
    batch = make_batch()
    given = given_to(batch.corpus, "m" * 60)
    assert f"{given.name} (distances from outside)" in admin_client.get(page(batch)).content.decode()
    sent = {**SENT, "primary_surrogate": given.name}
    assert admin_client.post(page(batch), sent).status_code == 302
    assert batch.primary.in_words.startswith(f"Pearson's r of DEGRESS with DEGRESS-HJ by {given.name}, decl")
    with pytest.raises(ConflictError, match="surrogate of the primary coefficient of “Pilot”") as caught:
        remove_distances(row=given, now=NOW)
    assert caught.value.action.startswith("Declare another primary coefficient there first")
    assert admin_client.post(page(batch), SENT).status_code == 302
    assert remove_distances(row=given, now=NOW)


def test_a_draft_whose_declared_distances_are_gone_is_saved_all_the_same(admin_client):
    batch = make_batch(launched=False)
    given = given_to(batch.corpus, "mine")
    mine = PrimaryChoice(coefficient="pearson", surrogate="mine")
    update_batch(batch=batch, settings=BatchSettings(name="Pilot", primary=mine), now=NOW)
    given.delete()  # as before declared distances were kept
    update_batch(batch=batch, settings=BatchSettings(name="Renamed", primary=mine), now=NOW)
    batch.refresh_from_db()
    assert (batch.name, batch.primary.surrogate) == ("Renamed", "mine")
    edit = reverse("batches:edit", args=[batch.pk])
    assert "mine (no longer there)" in admin_client.get(edit).content.decode()
    other = PrimaryChoice(coefficient="kendall", surrogate="mine")
    with pytest.raises(ValidationError, match="There is no measure “mine”"):
        update_batch(batch=batch, settings=BatchSettings(name="Pilot", primary=other), now=NOW)
