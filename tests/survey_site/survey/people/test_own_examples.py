"""Example pairs of one’s own: in each language, by the scale, and refused where they make no sense."""

import pytest

from survey_site.batches.services import launch_batch
from survey_site.batches.states import Scale
from survey_site.common.errors import InvalidInputError
from survey_site.survey.models import ExamplePair
from survey_site.survey.pages.examples import save_examples, shown_examples
from survey_site.survey.pages.practice import EXAMPLES, PRACTICE, Example, worked_examples
from survey_site.survey.people.participation import (
    ParticipationSettings,
    save_participation,
)
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.survey.pages.test_pages import codes
from tests.survey_site.survey.people.test_languages import BOTH, visitor
from tests.survey_site.survey.people.test_ways_in import enter, url

pytestmark = pytest.mark.django_db

PAIR = Example("قط ينام", "كلب ينبح", 2, 3, "حيوانان مختلفان")


def test_examples_of_one_s_own_replace_the_built_in_ones_and_follow_the_scale():
    batch = make_batch(languages=BOTH, launched=False, scale=Scale.DISSIMILARITY)
    save_examples(
        batch=batch, language="en", use="example", pairs=[PAIR, Example("a", "b", 6, 6, "same")], now=NOW
    )
    shown = shown_examples(batch, "ar", "example")
    assert (shown.language, len(shown.pairs)) == ("en", 2)
    save_examples(batch=batch, language="ar", use="example", pairs=[PAIR], now=NOW)
    shown = shown_examples(batch, "ar", "example")
    assert (shown.language, shown.pairs) == ("ar", (PAIR,))
    assert [one.points for one in worked_examples(batch.scale, shown)] == [(4, 5)]
    assert shown_examples(batch, "ar", "practice").pairs[0].low == PRACTICE[0].low
    save_examples(batch=batch, language="ar", use="example", pairs=[], now=NOW)
    save_examples(batch=batch, language="en", use="example", pairs=[], now=NOW)
    assert shown_examples(batch, "en", "example").pairs == EXAMPLES


def test_practice_uses_the_admin_s_pairs_and_reasons():
    batch = make_batch(languages=["ar"], launched=False)
    save_participation(batch=batch, settings=ParticipationSettings(practice=True), now=NOW)
    save_examples(batch=batch, language="ar", use="practice", pairs=[PAIR, PAIR], now=NOW)
    launch_batch(batch=batch, now=NOW)
    client = visitor()
    page = client.get(enter(client, url("join", batch)))
    assert ("زوجان للتدريب" in page.content.decode(), len(codes(page))) == (True, 2)
    feedback = client.post(url("practice", batch), {codes(page)[0]: 3}).content.decode()
    assert ("وهذا يوافق تقييمنا: 2 أو 3." in feedback, PAIR.why in feedback) == (True, True)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (Example("", "b", 1, 1, "c"), "needs both texts"),
        (Example("a", "b", 1, 1, " "), "a reason"),
        (Example("a", "b", 3, 2, "c"), "rated 3 to 2"),
        (Example("a", "b", 0, 7, "c"), "rated 0 to 7"),
        (Example("summary 1 1 1", "b", 1, 1, "c"), "text of this batch's corpus"),
        (Example("a", "reference 2 3", 1, 1, "c"), "text of this batch's corpus"),
    ],
)
def test_pairs_that_make_no_sense_are_refused(pair, message):
    batch = make_batch(corpus=make_corpus(), launched=False)
    with pytest.raises(InvalidInputError, match=message):
        save_examples(batch=batch, language="en", use="example", pairs=[pair], now=NOW)
    assert ExamplePair.objects.count() == 0


def test_more_pairs_than_fit_are_refused():
    batch = make_batch(launched=False)
    with pytest.raises(InvalidInputError, match="Up to 6"):
        save_examples(batch=batch, language="en", use="example", pairs=[PAIR] * 7, now=NOW)
