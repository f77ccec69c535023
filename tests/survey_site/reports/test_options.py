"""What may be asked of a report: all of it makes another report, and what makes no sense is refused."""

import pytest
from django.core.exceptions import ValidationError

from survey_site.batches.models import Batch
from survey_site.reports.models import Report
from survey_site.reports.services import request_report
from survey_site.scoring.models import ScoreRun
from tests.factories.batches import NOW
from tests.factories.reports import OPTIONS, make_report
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rated_batch)


@pytest.fixture
def batch(made_once, db):
    return Batch.objects.get(pk=made_once.pk)


@pytest.mark.parametrize(
    "other",
    [
        {"measures": ["rouge-l"]},
        {"surrogates": ["jsd"]},
        {"normalise": "none"},
        {"min_raters": 1},
        {"alpha": 2.0},
        {"beta": 1.0},
        {"gamma": 3.0},
        {"p_acc_alpha": 0.25},
        {"p_acc_beta": 0.5},
        {"mode": "kdm"},
        {"edp_readers": "rated"},
        {"preprocess": "pens"},
        {"seed": 1},
        {"resamples": 3_000},
        {"resampled": "documents and systems"},
        {"adjustment": "benjamini-hochberg"},
        {"coefficients": ["kendall-c"]},
        {"families": ["first=Copy"]},
        {"stability_replacement": True},
    ],
)
def test_other_inputs_give_another_report(other, batch):
    assert make_report(batch=batch, built=False) != make_report(batch=batch, built=False, **other)


@pytest.mark.parametrize(
    ("options", "field", "message"),
    [
        ({"measures": []}, "measures", "Choose at least one."),
        ({"surrogates": ["rouge-9"]}, "surrogates", "There is no measure rouge-9."),
        ({"measures": ["bleu", "bleu:n=4"]}, "measures", "bleu stands more than once"),
        ({"normalise": "words"}, "normalise", "This is document or none, not 'words'."),
        ({"min_raters": 3}, "min_raters", "give a number from 1 to 2"),
        ({"min_raters": 0}, "min_raters", "give a number from 1 to 2"),
        ({"beta": float("nan")}, "beta", "Give a number from -100 to 100; the papers use 1.7."),
        ({"beta": 400.0}, "beta", "Give a number from -100 to 100; the papers use 1.7."),
        ({"alpha": 101}, "alpha", "Give a number from -100 to 100; the papers use 3."),
        ({"gamma": float("inf")}, "gamma", "Give a number from -100 to 100; the papers use 4."),
        ({"p_acc_alpha": 2}, "p_acc_alpha", "Give a number from 0 to 1."),
        ({"p_acc_beta": 0}, "p_acc_beta", "Give a number above 0, at most 1."),
        ({"edp_readers": "all"}, "edp_readers", "This is document, rated, first, not 'all'."),
        ({"resamples": 999}, "resamples", "Give a number from 1,000 to 100,000."),
        ({"resamples": 100_001}, "resamples", "Give a number from 1,000 to 100,000."),
        ({"seed": -1}, "seed", "Give a whole number from 0"),
        ({"resampled": "people"}, "resampled", "What is resampled is documents, systems, "),
        ({"adjustment": "none"}, "adjustment", "Adjustment is holm or benjamini-hochberg, not 'none'."),
        ({"coefficients": ["gamma"]}, "coefficients", "There is no coefficient gamma; there are pearson"),
        ({"families": ["first=nobody"]}, "families", "Family 'first' names 'nobody', but there are "),
        ({"families": ["first"]}, "families", "A family is written NAME=SYSTEM,SYSTEM, not 'first'."),
    ],
)
def test_what_makes_no_sense_is_refused_by_field(options, field, message, batch):
    with pytest.raises(ValidationError) as caught:
        request_report(batch=batch, **{**OPTIONS, **options}, now=NOW)
    assert list(caught.value.message_dict) == [field]
    assert message in caught.value.message_dict[field][0]
    assert (Report.objects.count(), ScoreRun.objects.count()) == (0, 0)
