"""Ratings taken apart: severities of raters, systems' means without them, and how dependable means are."""

import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.stats.raters.components import Component
from meta_eval.stats.raters.severity import dependability, model_ratings, share_of_pages


def rate(
    seed, *, documents=30, raters=6, per_document=2, severity=1.0, page=0.5, document=0.6, lopsided=False
):
    """Ratings with one rater's severity, and the system's true means. The scale is not kept to 1 to 6."""
    rng = np.random.default_rng(seed)
    quality = {"A": 4.0, "B": 3.0, "C": 3.5, "D": 2.0}
    severe = {f"r{number}": severity * rng.normal() for number in range(raters)}
    ratings = []
    for number in range(documents):
        chosen = rng.choice(raters, per_document, replace=False)
        of_document = document * rng.normal()
        items = {system: 0.7 * rng.normal() for system in quality}
        for rater in (f"r{one}" for one in chosen):
            of_page = page * rng.normal()
            for system, mean in quality.items():
                if lopsided and system == "A" and severe[rater] > 0:
                    continue  # severe raters never saw the best system
                value = mean + of_document + items[system] + of_page - severe[rater] + 0.5 * rng.normal()
                ratings.append(Rating(f"d{number}", system, "ann", "bob", rater, value))
    return ratings, severe, quality


def test_components_are_those_that_were_simulated():
    found = []
    for seed in range(8):
        model = model_ratings(rate(seed)[0])
        found.append([one.variance for one in model.components])
    assert [one.factor for one in model.components] == [
        "system",
        "rater",
        "document",
        "item",
        "page",
        "residual",
    ]
    spread = np.std(found, axis=0) / np.sqrt(8)
    truth = [np.var([4.0, 3.0, 3.5, 2.0], ddof=1), 1.0, 0.36, 0.49, 0.25, 0.25]
    assert np.all(np.abs(np.mean(found, axis=0) - truth) < 4 * spread)


def test_severity_is_nearer_the_truth_than_plain_means():
    """Sixteen documents that differ much, six raters: whoever had hard documents seems severe."""
    errors = {"plain": [], "estimate": []}
    for seed in range(6):
        ratings, severe, _ = rate(seed, documents=16, raters=6, document=1.5)
        model = model_ratings(ratings)
        truth = np.array([severe[one.name] for one in model.raters])
        for name, found in errors.items():
            off = np.array([getattr(one, name) for one in model.raters]) - truth
            found.append(np.std(off))
        assert sum(one.ratings for one in model.raters) == len(ratings)
    assert np.mean(errors["estimate"]) < 0.8 * np.mean(errors["plain"])


def test_a_system_that_lenient_raters_saw_gets_its_mean_back():
    ratings, _, quality = rate(4, documents=80, lopsided=True)
    systems = {one.name: one for one in model_ratings(ratings).systems}
    truth = quality["A"] - quality["B"]
    plain = systems["A"].plain - systems["B"].plain
    adjusted = systems["A"].estimate - systems["B"].estimate
    assert abs(adjusted - truth) < 0.4 < abs(plain - truth)


def test_where_all_saw_all_the_means_are_the_plain_ones():
    ratings, _, _ = rate(2, raters=2)
    for one in model_ratings(ratings).systems:
        assert one.estimate == pytest.approx(one.plain, abs=1e-6)


def test_gold_is_no_system():
    ratings, _, _ = rate(3)
    gold = [Rating(one.doc_id, GOLD, "ann", "bob", one.rater, 1) for one in ratings[::4]]
    assert model_ratings([*ratings, *gold]) == model_ratings(ratings)


def test_dependability_is_the_correlation_of_means_with_other_means():
    """Surveys of the same systems on other documents by other raters: 400 pairs of 40 systems."""
    rng = np.random.default_rng(0)
    parts = {"system": 0.3, "rater": 0.4, "document": 0.5, "item": 0.9, "page": 0.2, "residual": 1.2}
    components = [Component(name, value, None, 1) for name, value in parts.items()]
    truth = np.sqrt(0.3) * rng.normal(size=(400, 40))

    def survey():
        items = np.sqrt(0.9 / 8) * rng.normal(size=truth.shape)
        return truth + items + np.sqrt(1.2 / (8 * 3)) * rng.normal(size=truth.shape)

    found = dependability(components, documents=8, raters=3)
    correlations = [np.corrcoef(one, other)[0, 1] for one, other in zip(survey(), survey(), strict=True)]
    assert found.relative == pytest.approx(np.mean(correlations), abs=0.02)
    assert found.absolute == pytest.approx(0.3 / (0.3 + (0.9 + 0.5) / 8 + (1.2 + 0.4 + 0.2) / 24))


@pytest.mark.parametrize(("page", "severity"), [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)])
def test_where_a_page_holds_half_of_the_systems_its_rater_moves_them_past_the_others(page, severity):
    """Ten systems, five a page, dealt anew for each document: how two surveys of 12 documents go together."""
    rng = np.random.default_rng(2)
    documents, surveys, systems = 12, 3_000, 10
    truth = np.sqrt(0.3) * rng.normal(size=(surveys, systems))

    def survey():
        given = truth[:, None] + rng.normal(size=(surveys, documents, systems))
        dealt = rng.permuted(np.tile(np.arange(systems) % 2, (surveys, documents, 1)), axis=2)
        spread = np.hypot(page, severity)
        pages = spread * rng.normal(size=(surveys, documents, 2))
        means = (given + np.take_along_axis(pages, dealt, axis=2)).mean(axis=1)
        return means - means.mean(axis=1, keepdims=True)

    one, other = survey(), survey()
    obtained = (one * other).mean() / np.sqrt((one**2).mean() * (other**2).mean())
    parts = {"system": 0.3, "rater": severity**2, "page": page**2, "residual": 1.0}
    components = [Component(name, value, None, 1) for name, value in parts.items()]
    told = dependability(components, documents=documents, raters=1, together=4 / 9)
    assert told.relative == pytest.approx(obtained, abs=0.01)
    assert dependability(components, documents=documents, raters=1).relative > obtained + 0.03


def test_pages_are_told_from_who_rated_what():
    ratings, _, _ = rate(5)
    assert share_of_pages(ratings) == 1.0
    halves = [
        Rating(one.doc_id, one.system, "ann", "bob", f"{one.rater}{one.system in 'AB'}", one.rating)
        for one in ratings
    ]
    assert share_of_pages(halves) == pytest.approx(1 / 3)
    assert model_ratings(halves).dependability[0].relative < model_ratings(ratings).dependability[0].relative


def test_more_documents_and_raters_make_means_more_dependable():
    model = model_ratings(rate(5)[0])
    assert [(one.documents, one.raters) for one in model.dependability] == [
        (documents, raters) for documents in (15, 30, 60) for raters in (1, 2, 3, 4)
    ]
    found = np.array([one.relative for one in model.dependability]).reshape(3, 4)
    assert np.all(np.diff(found, axis=0) > 0)
    assert np.all(np.diff(found, axis=1) > 0)
    assert all(one.absolute < one.relative for one in model.dependability)


def test_too_few_ratings_raters_or_systems_are_refused():
    ratings, _, _ = rate(1)
    with pytest.raises(InputError, match="19 ratings of 4 systems by 4 raters do not tell raters apart"):
        model_ratings(ratings[:19])
    with pytest.raises(InputError, match="of 1 systems by"):
        model_ratings([one for one in ratings if one.system == "A"])
    with pytest.raises(InputError, match="0 raters of 3 documents give no mean"):
        dependability([], documents=3, raters=0)
