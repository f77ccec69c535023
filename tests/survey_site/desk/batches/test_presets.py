"""The published designs: they fill the form in for any corpus, time after time."""

import pytest
from django.urls import reverse

from survey_site.batches.models import Batch
from survey_site.desk.batches.planning_forms import PRESETS
from tests.factories.corpus import make_corpus

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_ticks_the_systems_of_each_corpus_and_can_be_saved(admin_client, preset):
    """Two corpora in one process: what the form of the first was shown must not reach the second."""
    corpora = [make_corpus(), make_corpus(systems=3)]
    before = {name: dict(values) for name, values in PRESETS.items()}
    for corpus in corpora:
        url = reverse("batches:new", query={"corpus": corpus.pk, "preset": preset})
        form = admin_client.get(url).context["form"]
        assert form["systems"].value() == [system.pk for system in corpus.systems.all()]
        shown = {name: form[name].value() for name in form.fields}
        data = {name: value for name, value in shown.items() if value is not None}
        data |= {"name": "Pilot", "action": "save"}
        assert admin_client.post(url, data).status_code == 302
    assert [batch.corpus for batch in Batch.objects.order_by("pk")] == corpora
    assert before == PRESETS
