"""A sealed bundle: the same bytes for the same study, and each thing changed in it is named."""

import hashlib
import io
import json
import zipfile
from dataclasses import replace

import pytest

from meta_eval.errors import InputError, MeasureError
from meta_eval.publish.bundle import FileFault, verify_bundle, write_bundle
from meta_eval.publish.bundle.layout import (
    BUNDLE_FILES,
    GENERATED_FILE,
    GIVEN_FILE,
    HASHES_FILE,
    JUDGED_FILES,
    MODELS_FILE,
    SEALED_FILE,
    SEALED_TEXTS_FILE,
    seal_of,
)
from meta_eval.report import options as report_options
from meta_eval.report.assembling import LEFT_OUT
from meta_eval.report.schema import PartFailure, report_record, row_record
from tests.meta_eval.surveys import make_content, make_corpus

CONTENT = make_content()


SYSTEMS_LISTED = json.dumps(list(CONTENT.corpus.systems), indent=1).replace("\n", "\n ")


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
            if member != "MANIFEST.json" and text is not None
        }
        files["MANIFEST.json"] = json.dumps(
            {"schema": "concord-bundle", "schema_version": 1, "files": rest, "seal": seal_of(rest)}
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
    absent = {HASHES_FILE, GENERATED_FILE, GIVEN_FILE, SEALED_FILE, SEALED_TEXTS_FILE, MODELS_FILE}
    absent |= set(JUDGED_FILES)
    assert names == set(BUNDLE_FILES) - absent
    assert [name for name in names if f"| `{name}` | {BUNDLE_FILES[name]} |" not in page] == []


def test_every_number_of_an_untouched_bundle_is_recomputed_and_equal():
    found = verify_bundle(bundle())
    assert (found.is_sound, found.files, found.differences) == (True, (), ())
    assert found.not_recomputed == ()
    assert found.verified == checked_numbers(json.loads(json.dumps(report_record(CONTENT.report))))


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
    assert verify_bundle(with_more).files == (
        FileFault("extra.txt", "is no file of a bundle"),
        FileFault("extra.txt", "is not in the manifest"),
    )
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
    assert (found.outcome, found.is_sound, found.differences) == ("incomplete", False, ())
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
    assert (alone.outcome, alone.differences) == ("incomplete", ())
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
    assert HASHES_FILE in named


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
