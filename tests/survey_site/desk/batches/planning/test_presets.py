"""The published designs: they fill the form in for any corpus, time after time."""

import pytest
from django.urls import reverse

from survey_site.batches.models import Batch
from survey_site.batches.presets import PRESETS
from survey_site.batches.wording import LABELS
from survey_site.survey.people.participation import read_participation
from tests.factories.corpus import make_corpus
from tests.survey_site.desk.batches.pages import page_text

pytestmark = pytest.mark.django_db


def fill_in(client, corpus, preset):
    """The form as the preset fills it in, and the draft that comes of saving it as it is."""
    response = client.get(reverse("batches:new", query={"corpus": corpus.pk, "preset": preset}))
    form = response.context["form"]
    shown = {name: form[name].value() for name in form.fields}
    data = {name: value for name, value in shown.items() if value is not None and value is not False}
    saved = client.post(reverse("batches:new"), data | {"name": "Pilot"}, query_params={"corpus": corpus.pk})
    assert saved.status_code == 302
    return response, Batch.objects.latest("pk")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_fits_each_corpus_and_is_saved_as_it_is(admin_client, preset):
    """Two corpora in one process: what the form of the first was shown must not reach the second."""
    for corpus in (make_corpus(documents=3), make_corpus(systems=3)):
        _, draft = fill_in(admin_client, corpus, preset)
        assert (draft.corpus, list(draft.systems.all())) == (corpus, list(corpus.systems.all()))
        design = PRESETS[preset]
        for name in ("readers", "systems_per_questionnaire", "raters", "parts_together", "scale"):
            assert getattr(draft, name) == getattr(design, name)
        assert (draft.document_shown, read_participation(draft).limit) == (False, 1)
        assert [getattr(draft, part) for part in LABELS] == [design.labels.get(part, "") for part in LABELS]


def test_a_preset_says_what_it_sets_and_from_where(admin_client):
    corpus = make_corpus(documents=2, readers=3, systems=11)
    response, draft = fill_in(admin_client, corpus, "icopernicus")
    text = page_text(response)
    for said in (
        "Filled in as iCOPERNICUS was surveyed",
        "appendix E.2",
        "113 documents, three readers of each",
    ):
        assert said in text
    assert "It has 2 documents for this design, the paper 113." in text
    assert [system.name for system in draft.systems.all()] == [f"System{number}" for number in range(1, 10)]
    assert "This corpus has 2 of 10 systems." in page_text(
        fill_in(admin_client, make_corpus(), "perseval")[0]
    )
