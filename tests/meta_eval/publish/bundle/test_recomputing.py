"""Numbers of a bundle are computed again as they were made: its language, its distances, its version."""

import json
from dataclasses import replace

import pytest

from meta_eval.measures.added import adding
from meta_eval.measures.given import DistanceBook, given_measure, hash_of
from meta_eval.publish.bundle import verify_bundle
from meta_eval.report.schema import CERTAINTY_FIELDS, PartFailure
from tests.meta_eval.publish.bundle.test_bundle import CONTENT, bundle, changed
from tests.meta_eval.surveys import make_content, make_corpus, make_study_report, with_inference


def as_before_languages(text, *, named):
    """A report of when every language was cut into words as English is; of then no warning of letters."""
    record = json.loads(text)
    for row in record["signatures"]:
        if not named:
            del row["signature"]["tokenizer"]
    record["answer"]["cautions"] = [
        one for one in record["answer"]["cautions"] if "of the letters" not in one
    ]
    return json.dumps(record)


def in_german(measures=("rouge-l", "meteor", "jsd")):
    """The study with every text named German, which some measures then cut into other words."""
    corpus = make_corpus()
    german = replace(corpus, documents=tuple(replace(one, language="de") for one in corpus.documents))
    report = make_study_report(german, list(CONTENT.ratings), measures, ("rouge-l",))
    return replace(CONTENT, corpus=german, report=report)


def test_a_bundle_in_another_language_is_recomputed_as_it_was_made():
    found = verify_bundle(bundle(in_german()))
    assert (found.outcome, found.differences) == ("sound", ())


@pytest.mark.parametrize("named", [True, False])
def test_an_older_bundle_in_another_language_is_recomputed_with_its_own_words(named, monkeypatch):
    """Its numbers hold; what this version adds, a caution and the name of the words, is named as missing."""
    with monkeypatch.context() as before:
        before.setattr("meta_eval.measures.lexical.words_of", lambda _languages: None)
        made = in_german()
    older = changed(
        bundle(made), "report.json", lambda text: as_before_languages(text, named=named), reseal=True
    )
    found = verify_bundle(older)
    places = {one.path.partition("[")[0] for one in found.differences}
    assert places - {"answer.cautions"} == (set() if named else {"signatures"})
    assert in_german().report.leaderboard != made.report.leaderboard


def test_a_measure_that_failed_on_one_side_keeps_its_words_on_the_other():
    made = in_german()
    options = {**made.report.options, "surrogates": ["rouge-l", "meteor"]}
    failure = PartFailure("human", "meteor", "stopped for a test")
    report = replace(made.report, options=options, failures=(failure,))
    found = verify_bundle(bundle(replace(made, report=report)))
    assert (found.files, found.differences) == ((), ())


def book_of_lengths(share=1.0):
    """Distances from outside of all texts of the study: how far their lengths are apart."""
    texts = sorted({text for one in CONTENT.corpus.documents for text in texts_of(one)})
    longest = max(map(len, texts))
    return DistanceBook.of(
        "lengths",
        [
            (hash_of(first), hash_of(second), share * abs(len(first) - len(second)) / longest)
            for first in texts
            for second in texts
        ],
    )


def texts_of(document):
    by_system = [texts.values() for texts in document.summaries.values()]
    return {document.text, *document.references.values(), *(text for texts in by_system for text in texts)}


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_the_distances_of_a_bundle_count_where_others_have_their_name_here(share):
    book = book_of_lengths()
    with adding([given_measure(book)]):
        content = replace(make_content(measures=("lengths", "jsd")), given=[book])
    made = bundle(content)
    with adding([given_measure(book_of_lengths(share))]):
        found = verify_bundle(made)
    assert (found.files, found.differences) == ((), ())
    assert found.verified == verify_bundle(made).verified


@pytest.mark.parametrize(
    ("named", "tolerance"), [({"model": "m"}, 1e-5), ({"versions": {"torch": "2"}}, 1e-5), ({}, 1e-9)]
)
def test_numbers_of_a_model_agree_within_what_machines_differ_by(named, tolerance):
    """A plug-in names no model; torch among its libraries says that it has one."""

    def change(text):
        record = json.loads(text)
        for row in record["signatures"]:
            row["signature"] |= named if row["measure"] == "jsd" else {}
        for row in record["leaderboard"]:
            row["value"] *= 1 + 1e-3 * (row["measure"] == "jsd")
        return json.dumps(record)

    found = verify_bundle(changed(bundle(), "report.json", change, reseal=True))
    tolerances = [
        one.tolerance for one in found.differences if one.path.startswith("leaderboard[automatic, jsd")
    ]
    assert set(tolerances) == {tolerance}


def as_version_4(text):
    """A report of version 4, whose draws came out otherwise."""
    record = json.loads(text)
    cells = [{**row, "ci_low": 0.125, "ceiling": 0.5} for row in record["correlations"]]
    plain = [
        {name: value for name, value in row.items() if name not in CERTAINTY_FIELDS}
        for row in record["correlations"]
    ]
    inference = {**record["inference"], "cells": cells}
    return json.dumps({**record, "schema_version": 4, "correlations": plain, "inference": inference})


def as_version_5(text):
    """A report of version 5, whose answer was about PerSEval and whose ratings were not shuffled."""
    record = json.loads(text)
    plain = [
        {name: value for name, value in row.items() if not name.startswith(("null_", "p_raters"))}
        for row in record["correlations"]
    ]
    answer = {**record["answer"], "score": "perseval_hj", "sentence": "PerSEval by ROUGE-L agrees."}
    left_out = [{**row, "why": "as it was worded then"} for row in record["left_out"]]
    older = {"schema_version": 5, "correlations": plain, "answer": answer, "left_out": left_out}
    return json.dumps({**record, **older})


@pytest.mark.parametrize("as_older", [as_version_4, as_version_5])
def test_an_older_version_opens_nothing(as_older):
    """Every number is computed as this version does, and set against what the older report says."""
    found = verify_bundle(changed(bundle(with_inference(CONTENT)), "report.json", as_older, reseal=True))
    assert (found.outcome, found.not_recomputed) == ("differs", ())
    assert found.older in (4, 5)
    assert "as this version computes it" in found.first_line


def test_an_older_version_is_never_sound():
    def change(text):
        return json.dumps({**json.loads(text), "schema_version": 6})

    found = verify_bundle(changed(bundle(with_inference(CONTENT)), "report.json", change, reseal=True))
    assert (found.outcome, found.differences) == ("incomplete", ())
    assert "version 6" in found.first_line
