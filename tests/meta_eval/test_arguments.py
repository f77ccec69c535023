"""What the public functions take and refuse, and how their values show themselves."""

import pandas
import pytest

import meta_eval

TEXTS = pandas.DataFrame(
    [
        ("d", reader, system, text)
        for system, pair in {"user": ("rain", "sun"), "A": ("rain", "sun"), "B": ("rain", "rain")}.items()
        for reader, text in zip(("ann", "bob"), pair, strict=True)
    ],
    columns=["doc_id", "reader", "system", "text"],
).assign(doc_text="Rain, then sun.")
RATED = pandas.DataFrame(
    [("d", system, "ann", "bob", "p", rating) for system, rating in (("user", 2), ("A", 2), ("B", 6))],
    columns=["doc_id", "system", "reader_a", "reader_b", "rater", "rating"],
)
QUICK = meta_eval.InferenceOptions(resamples=40, shuffles=40, splits=10, simulations=10)


@pytest.fixture(scope="module")
def corpus():
    return meta_eval.read_corpus(TEXTS)


@pytest.fixture(scope="module")
def divergences(corpus):
    return meta_eval.human_divergences(meta_eval.read_ratings(RATED, corpus), scale="similarity")


def test_a_frame_and_an_id_give_what_a_corpus_and_a_measure_give(corpus, divergences, tmp_path):
    TEXTS.to_csv(tmp_path / "texts.csv", index=False)
    measure = meta_eval.make_measure("rouge-l")
    expected = meta_eval.score_systems(corpus, measure).records()
    for given in (corpus, TEXTS, tmp_path / "texts.csv"):
        assert meta_eval.score_systems(given, "rouge-l").records() == expected
    human = meta_eval.score_humans(corpus, divergences, measure).records()
    assert meta_eval.score_humans(TEXTS, divergences, "rouge-l").records() == human
    assert meta_eval.score_systems(corpus, "bleu:n=2").records()[0]["signature"]["options"]["n"] == 2


def report_of(ratings, measures, corpus=TEXTS):
    return meta_eval.make_report(
        corpus, ratings, measures=measures, surrogates=["jsd"], scale="similarity", inference=QUICK
    )


def test_a_report_is_made_of_frames(corpus):
    of_values = report_of(meta_eval.read_ratings(RATED, TEXTS), ["jsd"], corpus)
    assert report_of(RATED, ["jsd"]).report == of_values.report


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda: meta_eval.score_systems(3, "rouge-l"), "corpus"),
        (lambda: meta_eval.score_systems(TEXTS, 3), "measure"),
        (lambda: meta_eval.score_systems(TEXTS, ["rouge-l"]), "measure"),
        (lambda: meta_eval.score_humans(TEXTS, None, None), "surrogate"),
        (lambda: meta_eval.score_humans(TEXTS, RATED, "rouge-l"), "divergences"),
        (lambda: meta_eval.human_divergences(RATED, scale="similarity"), "ratings"),
        (lambda: meta_eval.read_ratings(RATED, [TEXTS]), "corpus"),
        (lambda: meta_eval.correlate("A", "B"), "scores"),
        (lambda: report_of(3, ["jsd"]), "ratings"),
        (lambda: report_of(RATED, "jsd"), "measures"),
    ],
)
def test_an_argument_of_another_kind_is_refused_by_its_parameter(call, parameter):
    with pytest.raises(TypeError, match=rf"^{parameter}\b"):
        call()


def public_values(corpus, divergences):
    ratings = meta_eval.read_ratings(RATED, corpus)
    made = report_of(ratings, ["jsd"])
    systems = meta_eval.score_systems(corpus, "jsd")
    humans = meta_eval.score_humans(corpus, divergences, "jsd")
    found = meta_eval.correlate(humans, systems)
    return [
        *(corpus, corpus.documents[0], ratings, ratings.ratings[0], divergences),
        *(systems, systems.contributions, humans, humans.surrogate, found, meta_eval.make_measure("jsd")),
        *(made, made.report, made.report.answer, made.survey, QUICK),
        meta_eval.ReportOptions(measures=("jsd",), surrogates=("jsd",)),
    ]


def test_every_public_value_shows_itself_in_two_lines(corpus, divergences):
    for value in public_values(corpus, divergences):
        lines = repr(value).splitlines()
        assert type(value).__name__ in lines[0]
        assert len(lines) <= 2
        assert len(repr(value)) <= 300, type(value)


def test_frames_have_no_mappings_in_their_cells(corpus, divergences):
    for value in public_values(corpus, divergences):
        if hasattr(value, "to_frame"):
            frame = value.to_frame()
            assert not frame.map(lambda cell: isinstance(cell, dict | list | tuple)).to_numpy().any()
            frame.drop_duplicates()
