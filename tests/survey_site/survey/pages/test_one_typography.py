"""All texts of a page in one typography: on raters' pages and previews, in no file and for no measure."""

import pytest
from django.urls import reverse

from meta_eval.publish.methods import methods_details, methods_paragraph
from survey_site.batches.description import describe_study
from survey_site.batches.planning import sketch_questionnaire
from survey_site.corpus.models import Reference, Summary
from survey_site.corpus.queries import load_corpus
from survey_site.survey.models import AssignmentItem
from survey_site.survey.pages.questionnaire import assignment_view, sketch_order, sketch_view
from survey_site.survey.rating.services import submit_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report
from tests.factories.survey import make_assignment

pytestmark = pytest.mark.django_db
TYPED, ALIKE = "it’s rain , then “ sun", "It's rain, then \" sun"


def typed_batch(**settings):
    """Every text is typed as no two people type it."""
    corpus = make_corpus(documents=2, readers=2, systems=3)
    for model in (Reference, Summary):
        for pk in model.objects.values_list("pk", flat=True):
            model.objects.filter(pk=pk).update(text=f"{TYPED} {model.__name__} {pk}")
    return make_batch(corpus=corpus, raters=1, identical_share=100, **settings)


def texts(page):
    return [text for pair in page.pairs for text in (pair.left, pair.right)]


@pytest.mark.parametrize(("asked", "begin"), [(True, ALIKE), (False, TYPED)])
def test_a_preview_and_a_walk_show_texts_as_the_plan_says(admin_client, asked, begin):
    batch = typed_batch(one_typography=asked, launched=False)
    questionnaire, _, items = sketch_questionnaire(batch, 1)
    preview = texts(sketch_view(questionnaire, sketch_order(items, seed="1")))
    assert len(preview) == 10  # gold, three systems and a control
    assert all(text.startswith(begin) for text in preview)
    walked = reverse("batches:walk", args=[batch.pk, "en"]) + "q/walk-1/"
    for address in (reverse("batches:preview", args=[batch.pk]), walked):
        page = admin_client.get(address).content.decode()
        assert ("rain, then" in page, "rain , then" in page) == (asked, not asked)
    assert ("one_typography" in describe_study(batch)) is asked


def test_raters_see_one_typography_and_measures_the_originals():
    batch = typed_batch(one_typography=True)
    for held in (make_assignment(batch), make_assignment(batch)):
        assert all(text.startswith(ALIKE) for text in texts(assignment_view(held)))
        codes = AssignmentItem.objects.filter(assignment=held).values_list("code", flat=True)
        submit_questionnaire(assignment=held, answers=dict.fromkeys(codes, 3), now=NOW)
    assert all(text.startswith(TYPED) for text in load_corpus(batch.corpus).reference_texts)
    result = make_report(batch=batch).read()
    assert result.subject["one_typography"] is True
    said = "Raters saw all texts in one typography; measures read the texts as they are."
    assert said in methods_paragraph(result)
    assert said in methods_details(result)


def test_pairs_that_look_the_same_are_shown_once_where_the_plan_says_so():
    corpus = make_corpus(documents=1, readers=2, systems=3)
    for system, text in (("System1", "rain , {}"), ("System2", "Rain, {}")):
        for reader in ("reader1", "reader2"):
            rows = Summary.objects.filter(system__name=system, reader__key=reader)
            rows.update(text=text.format(reader))
    shown = {}
    for asked in (True, False):
        batch = make_batch(corpus=corpus, equal_pairs_once=True, one_typography=asked)
        shown[asked] = len(assignment_view(make_assignment(batch)).pairs)
    assert shown == {True: 3, False: 4}
