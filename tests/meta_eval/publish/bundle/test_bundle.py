"""A sealed bundle: the same bytes for the same study, and each thing changed in it is named."""

import hashlib
import io
import json
import zipfile
from dataclasses import replace

import pytest

from meta_eval.errors import InputError, MeasureError
from meta_eval.measures.added import adding
from meta_eval.measures.given import DistanceBook, given_measure, hash_of
from meta_eval.publish.bundle import FileFault, verify_bundle, write_bundle
from meta_eval.publish.bundle.layout import (
    BUNDLE_FILES,
    DATASHEET_FILE,
    GIVEN_FILE,
    HASHES_FILE,
    JUDGED_FILES,
    MODELS_FILE,
    seal_of,
)
from meta_eval.publish.bundle.verifying import DRAWN_OTHERWISE, WORDS_UNNAMED
from meta_eval.report import options as report_options
from meta_eval.report.assembling import LEFT_OUT
from meta_eval.report.schema import CERTAINTY_FIELDS, PartFailure, report_record, row_record
from tests.meta_eval.surveys import make_content, make_corpus, make_study_report, with_inference

CONTENT = make_content()
PARTS = ("automatic, rouge-l", "automatic, jsd", "human, rouge-l")


def bundle(content=CONTENT, **options):
    stream = io.BytesIO()
    write_bundle(stream, content, **options)
    return stream


def changed(stream, name, change, *, reseal=False):
    """The bundle with one file changed by a function of its text (None removes it)."""
    with zipfile.ZipFile(stream) as archive:
        files = {member: archive.read(member).decode() for member in archive.namelist()}
    files[name] = change(files[name])
    if reseal:
        rest = {
            member: hashlib.sha256(text.encode()).hexdigest()
            for member, text in files.items()
            if member != "MANIFEST.json"
        }
        files["MANIFEST.json"] = json.dumps(
            {"schema": "concord-bundle", "files": rest, "seal": seal_of(rest)}
        )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for member, text in files.items():
            if text is not None:
                archive.writestr(member, text)
    return made


def count_numbers(value):
    if isinstance(value, dict):
        return sum(map(count_numbers, value.values()))
    if isinstance(value, list):
        return sum(map(count_numbers, value))
    return isinstance(value, int | float) and not isinstance(value, bool)


def checked_numbers(report):
    """Numbers outside options and versions, which say what was asked for and with what."""
    return sum(count_numbers(report[name]) for name in report if name not in {"options", "failures"})


def test_the_same_study_gives_the_same_bytes():
    assert bundle().getvalue() == bundle(make_content()).getvalue()


def test_the_seal_is_what_sha256sum_gives_over_the_files():
    stream = io.BytesIO()
    seal = write_bundle(stream, CONTENT)
    with zipfile.ZipFile(stream) as archive:
        lines = "".join(
            f"{hashlib.sha256(archive.read(name)).hexdigest()}  {name}\n"
            for name in sorted(archive.namelist())
            if name != "MANIFEST.json"
        )
        manifest = json.loads(archive.read("MANIFEST.json"))
    assert seal == manifest["seal"] == hashlib.sha256(lines.encode()).hexdigest()


def test_the_page_inside_names_every_file():
    with zipfile.ZipFile(bundle()) as archive:
        page = archive.read("README.md").decode()
        names = set(archive.namelist())
    absent = {HASHES_FILE, DATASHEET_FILE, GIVEN_FILE, MODELS_FILE, *JUDGED_FILES}
    assert names == set(BUNDLE_FILES) - absent
    assert [name for name in names if f"| `{name}` | {BUNDLE_FILES[name]} |" not in page] == []


def test_every_number_of_an_untouched_bundle_is_recomputed_and_equal():
    found = verify_bundle(bundle())
    assert (found.is_sound, found.files, found.differences) == (True, (), ())
    assert {skipped.path: skipped.numbers for skipped in found.not_recomputed} == {
        "left_out[surplus_questionnaires]": 1,
        **{f"signatures[{part}]{place}": 0 for part in PARTS for place in ("", ".signature.versions")},
    }
    assert found.verified + sum(skipped.numbers for skipped in found.not_recomputed) == checked_numbers(
        json.loads(json.dumps(report_record(CONTENT.report)))
    )


def test_a_flipped_rating_is_named_by_its_file_and_by_the_numbers_that_rest_on_it():
    def flip(text):
        lines = text.splitlines()
        assert lines[1].split(",")[5] == "2"
        lines[1] = lines[1].replace(",2,", ",6,", 1)
        return "\n".join(lines) + "\n"

    found = verify_bundle(changed(bundle(), "ratings.csv", flip))
    assert [fault.file for fault in found.files] == ["ratings.csv"]
    differing = {difference.path for difference in found.differences}
    assert {"ratings.hash", "leaderboard[human, rouge-l, perseval_hj, Copy].value"} <= differing
    assert not any(path.startswith("leaderboard[automatic") for path in differing)


def test_a_changed_number_is_named_even_where_the_manifest_was_made_anew():
    def change(text):
        report = json.loads(text)
        report["correlations"][0]["estimate"] += 1e-6
        return json.dumps(report)

    found = verify_bundle(changed(bundle(), "report.json", change, reseal=True))
    row = row_record(CONTENT.report.correlations[0])
    path = f"correlations[degress_hj, rouge-l, degress, {row['measure']}, {row['coefficient']}].estimate"
    assert found.files == ()
    assert [(d.path, d.stored, d.recomputed, d.tolerance) for d in found.differences] == [
        (path, row["estimate"] + 1e-6, row["estimate"], 1e-9)
    ]


def test_a_number_taken_out_of_the_report_is_named():
    def change(text):
        report = json.loads(text)
        del report["leaderboard"][0]
        return json.dumps(report)

    row = row_record(CONTENT.report.leaderboard[0])
    found = verify_bundle(changed(bundle(), "report.json", change, reseal=True))
    path = f"leaderboard[{row['side']}, {row['measure']}, {row['score']}, {row['system']}]"
    assert [(d.path, d.stored) for d in found.differences] == [(path, "nothing")]


@pytest.mark.parametrize("name", ["ratings.csv", "corpus.jsonl", "plan.json", "README.md", "study.json"])
def test_a_removed_file_is_named(name):
    found = verify_bundle(changed(bundle(), name, lambda _: None))
    assert FileFault(name, "is missing") in found.files
    assert not found.is_sound


def test_an_added_file_and_a_lost_manifest_are_named():
    with_more = changed(bundle(), "README.md", lambda text: text)
    with zipfile.ZipFile(with_more, "a") as archive:
        archive.writestr("extra.txt", "more")
    assert verify_bundle(with_more).files == (FileFault("extra.txt", "is not in the manifest"),)
    without = verify_bundle(changed(bundle(), "MANIFEST.json", lambda _: None))
    assert [fault.file for fault in without.files] == ["MANIFEST.json"]


def test_a_measure_that_cannot_run_here_is_open_and_never_verified(monkeypatch):
    def refuse(spec, **options):
        if spec == "jsd":
            raise MeasureError("The model is not on this machine.")
        return parse(spec, **options)

    parse = report_options.parse_measure
    sealed = bundle()
    monkeypatch.setattr(report_options, "parse_measure", refuse)
    found = verify_bundle(sealed)
    assert found.is_sound
    reasons = {skipped.path: skipped.why for skipped in found.not_recomputed}
    assert reasons["leaderboard[automatic, jsd, perseval, Copy]"] == "The model is not on this machine."
    assert reasons["answer"].endswith("The model is not on this machine.")
    assert not any("human, rouge-l" in path for path in reasons if path.startswith("leaderboard"))


def test_a_bundle_of_hashes_holds_no_text_and_is_verified_beside_the_corpus():
    hidden = bundle(share_texts=False)
    with zipfile.ZipFile(hidden) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"repairs" not in everything
    alone = verify_bundle(hidden)
    assert alone.is_sound
    assert not any(path.why == "" for path in alone.not_recomputed)
    assert {row.path for row in alone.not_recomputed} >= {"leaderboard[automatic, jsd, perseval, Copy]"}
    corpus = make_corpus()
    beside = verify_bundle(hidden, corpus=replace(corpus, documents=corpus.documents[::-1]))
    assert beside.verified == verify_bundle(bundle()).verified > alone.verified


def test_another_corpus_beside_a_bundle_of_hashes_is_named():
    other = make_corpus()
    other = replace(other, documents=other.documents[:2])
    found = verify_bundle(bundle(share_texts=False), corpus=other)
    named = {difference.path: difference.recomputed for difference in found.differences}
    assert (named["subject.corpus_hash"], named["subject.corpus_documents"]) == (other.content_hash, 2)


@pytest.mark.parametrize("change", [lambda line: line + ",more", lambda line: line.rpartition(",")[0]])
def test_a_row_of_ratings_with_a_cell_too_many_or_too_few_is_named(change):
    def spoil(text):
        lines = text.splitlines()
        return "\n".join([lines[0], change(lines[1]), *lines[2:]]) + "\n"

    found = verify_bundle(changed(bundle(), "ratings.csv", spoil, reseal=True))
    with zipfile.ZipFile(bundle()) as archive:
        cells = len(archive.read("ratings.csv").decode().splitlines()[0].split(","))
    assert [(fault.file, fault.problem) for fault in found.files] == [
        ("ratings.csv", f"not the {cells} cells of the header in this row")
    ]


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


@pytest.mark.parametrize("told", [True, False])
def test_a_bundle_in_another_language_is_recomputed_as_it_was_made(told):
    """Bundles did not tell the language at first: their signatures name the words."""
    made = bundle(in_german())
    if not told:
        made = changed(made, "corpus.jsonl", lambda text: text.replace(', "lang": "de"', ""), reseal=True)
    with zipfile.ZipFile(made) as archive:
        assert archive.read("corpus.jsonl").count(b'"lang": "de"') == 3 * told
    found = verify_bundle(made)
    assert (found.files, found.differences) == ((), ())


@pytest.mark.parametrize("named", [True, False])
def test_an_older_bundle_in_another_language_is_recomputed_with_its_own_words(named, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr("meta_eval.measures.lexical.words_of", lambda _languages: None)
        made = in_german()
    older = changed(
        bundle(made), "report.json", lambda text: as_before_languages(text, named=named), reseal=True
    )
    found = verify_bundle(older)
    assert (found.files, found.differences) == ((), ())
    reasons = {skipped.why for skipped in found.not_recomputed}
    assert (WORDS_UNNAMED in reasons) is not named
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


def test_what_is_no_archive_is_refused(tmp_path):
    path = tmp_path / "notes.zip"
    path.write_text("no archive")
    with pytest.raises(InputError, match=r"notes\.zip: not a bundle"):
        verify_bundle(path)


def test_an_archive_that_would_fill_the_memory_is_not_unpacked():
    stream = io.BytesIO(bundle().getvalue())
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("long.csv", b"0" * (11 << 20))
    with pytest.raises(InputError, match=r"it unpacks to far more than it is: long\.csv"):
        verify_bundle(stream)


def test_no_folder_of_the_machine_is_in_a_bundle():
    report = replace(
        CONTENT.report,
        options={**CONTENT.report.options, "measures": ["infolm:model=/srv/secret/models/bert-tiny"]},
        failures=(PartFailure("human", "x", "no file '/srv/secret/a b/model.bin'"),),
    )
    with zipfile.ZipFile(bundle(replace(CONTENT, report=report))) as archive:
        text = archive.read("report.json").decode()
    assert "infolm:model=bert-tiny" in text
    assert "/srv" not in text


def test_left_out_reasons_are_those_of_the_library():
    assert {row.what for row in CONTENT.report.left_out} <= set(LEFT_OUT)


def test_what_no_measure_should_raise_is_a_fault_and_no_gap():
    """A list of systems that is no list stops every part; the bundle is not sound for that."""
    broken = changed(bundle(), "study.json", lambda text: text.replace(SYSTEMS_LISTED, "5"), reseal=True)
    found = verify_bundle(broken)
    assert found.is_sound is False
    assert "cannot be recomputed from these files: TypeError" in found.files[0].problem


SYSTEMS_LISTED = json.dumps(list(CONTENT.corpus.systems), indent=1).replace("\n", "\n ")


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
def test_a_bundle_of_an_older_version_is_verified_but_for_what_was_drawn(as_older):
    whole = with_inference(CONTENT)
    older = changed(bundle(whole), "report.json", as_older, reseal=True)
    found = verify_bundle(older)
    assert (found.is_sound, found.differences) == (True, ())
    drawn = [skipped for skipped in found.not_recomputed if skipped.why == DRAWN_OTHERWISE]
    assert any(skipped.path.startswith("correlations[") for skipped in drawn)

    def change(text):
        record = json.loads(as_older(text))
        record["inference"]["paradox"][0]["estimate"] = 0.0625
        return json.dumps(record)

    changed_too = verify_bundle(changed(bundle(whole), "report.json", change, reseal=True))
    assert 0.0625 in [difference.stored for difference in changed_too.differences]
