"""What follows from a bundle's files beside its numbers, and is compared with it."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from meta_eval.measures.signatures import read_signature
from meta_eval.publish.bundle.comparing import MISSING
from meta_eval.publish.bundle.layout import (
    BUNDLE_FILES,
    CORPUS_FILE,
    DATASHEET_FILE,
    GENERATED_FILE,
    GIVEN_FILE,
    HASHES_FILE,
    MANIFEST_FILE,
    MODELS_FILE,
    README_FILE,
    SEALED_FILE,
    SEALED_TEXTS_FILE,
    readme,
)
from meta_eval.publish.bundle.reading import BundleData
from meta_eval.publish.bundle.verification import Difference
from meta_eval.publish.bundle.writing import (
    corpus_lines,
    datasheet,
    given_lines,
    model_lines,
    sealed_lines,
    sealed_texts_lines,
)
from meta_eval.publish.long_form import QUESTIONNAIRES_FILE
from meta_eval.ratings.survey import COUNTED
from meta_eval.report.facts import ONLY_WHERE_SO, facts_of_corpus, plan_notes
from meta_eval.report.options import ASKED, UNLESS_ASKED, ReportOptions, measure_id
from meta_eval.report.schema import Report
from meta_eval.studies.icopernicus.provenance import render_provenance

CITED = (
    "source_file",
    "source_hash",
    "uploaded_at",
    "raters_known",
    "snapshot_hash",
    "frozen_at",
    "snapshot_ratings",
    "snapshot_withdrawn",
)
"""What a report says of uploaded or frozen ratings stands in `study.json` too."""
NAMES = ("batch", "corpus", "raters_flagged")
"""Of the subject, what no file holds: names, and how many raters somebody flagged."""
_FURTHER_OPTIONS = ("published", "same_systems", "model_runs", "epsilon", "mixed", "judge")
_UNSUBMITTED = "unsubmitted"
_EXCLUDED = "excluded"


def expected_subject(data: BundleData) -> dict[str, Any]:
    """What the report is about, as plan, study and texts say it."""
    stored, study, plan = data.report.subject, data.study, data.plan
    subject = {name: stored[name] for name in NAMES if name in stored}
    if "batch" in study:
        subject["batch"] = study["batch"]
    subject |= {name: study[name] for name in CITED if name in study}
    subject |= {"question": study.get("question", ""), "seed": plan.get("seed")}
    if data.corpus is None:
        kept = ("corpus_hash", "corpus_documents", "document_shown")
        subject |= {name: stored[name] for name in kept if name in stored}
    else:
        subject |= facts_of_corpus(data.corpus, study)
    uploaded = "source_file" in study  # whose report says it only where its batch was planned here
    subject |= {
        name: True for name in ONLY_WHERE_SO if study.get(name) and not (uploaded and name not in stored)
    }
    if data.generated:
        subject["generated"] = list(data.generated)
    if plan.get("from_ratings") and not uploaded:
        subject["plan_known"] = False
    return subject


def expected_options(data: BundleData) -> dict[str, Any]:
    """What was asked for, as the statistics, the study and the sealed distances say it.

    Options of scores and published tables stand here alone: the numbers are computed with them.
    """
    stored, inference = data.report.options, data.report.inference
    names = (*ReportOptions.__slots__, *_FURTHER_OPTIONS)
    expected = {name: stored[name] for name in names if name in stored}
    expected |= data.ends.record
    if inference:
        asked = {name: value for name, value in inference.options.as_dict().items() if name in ASKED}
        expected |= {
            name: value
            for name, value in asked.items()
            if name in stored or name not in UNLESS_ASKED or value != UNLESS_ASKED[name]
        }
        if "epsilon" in stored and inference.stand_in:
            expected["epsilon"] = inference.stand_in[0].alternative_annotator_test.epsilon
    if "given" in stored:
        expected["given"] = {book.name: book.digest for book in data.given}
    return expected


def expected_notes(data: BundleData) -> list[str]:
    """Notes that follow from texts and plan; measures add theirs, and people what nobody can compute."""
    return [*(data.corpus.notes if data.corpus else ()), *plan_notes(data)]


def compare_files(data: BundleData, report: Report, hashes: Mapping[str, str]) -> Iterator[Difference]:
    """A difference for each file that is not what this version makes of the others.

    `report` is the recomputed one: a number that was changed in the stored one is no fault of the datasheet.
    """
    seed, held = data.plan.get("seed"), [name for name in BUNDLE_FILES if name in (*hashes, MANIFEST_FILE)]
    yield from _compare_text(README_FILE, data.texts.get(README_FILE), readme(held, seed=seed))
    sheets = [datasheet(one, data.plan, data.study, data.languages) for one in (data.report, report)]
    if data.texts.get(DATASHEET_FILE) not in sheets:
        yield from _compare_text(DATASHEET_FILE, data.texts.get(DATASHEET_FILE), sheets[0])
    made: dict[str, Iterable[str]] = {}
    if data.corpus:
        named = CORPUS_FILE if CORPUS_FILE in hashes else HASHES_FILE
        made[named] = corpus_lines(data.corpus, share_texts=named == CORPUS_FILE)
    if data.generated:
        made[GENERATED_FILE] = [render_provenance(data.generated)]
    if data.given:
        made[GIVEN_FILE] = given_lines(data.given)
    if data.sealed:
        made[SEALED_FILE] = sealed_lines(data.sealed)
        made[SEALED_TEXTS_FILE] = sealed_texts_lines(data.sealed)
    if data.models:
        made[MODELS_FILE] = model_lines(data.models)
    for name, lines in made.items():
        found = _digest(lines)
        if found != hashes[name]:
            yield Difference(name, hashes[name], found)


def _compare_text(name: str, stored: str | None, made: str) -> Iterator[Difference]:
    """The first line that differs."""
    if stored == made:
        return
    here, there = (stored or "").split("\n"), made.split("\n")
    number = next(
        (row for row, pair in enumerate(zip(here, there, strict=False)) if pair[0] != pair[1]),
        min(len(here), len(there)),
    )
    found, expected = (side[number] if number < len(side) else MISSING for side in (here, there))
    yield Difference(f"{name}[line {number + 1}]" if stored is not None else name, found, expected)


def _digest(lines: Iterable[str]) -> str:
    found = hashlib.sha256()
    for line in lines:
        found.update(line.encode())
    return found.hexdigest()


def compare_notes(data: BundleData, report: Report) -> Iterator[Difference]:
    """Notes that follow and that the report does not have."""
    for note in report.notes:
        if note not in data.report.notes:
            yield Difference("notes", MISSING, note)


def compare_parts(data: BundleData) -> Iterator[Difference]:
    """Measures that the options name and of which the report has neither scores nor a failure, and others."""
    report, options = data.report, ReportOptions.from_record(data.report.options)
    failed = {(one.side, one.measure) for one in report.failures}
    signed = {(row.side, row.measure) for row in report.signatures}
    for side, spec in options.parts:
        if (side, spec) not in failed and (side, measure_id(spec)) not in signed:
            named = "measures" if side == "automatic" else "surrogates"
            yield Difference(f"options.{named}", spec, "neither its scores nor why there are none")
    for one in failed - set(options.parts):
        yield Difference(f"failures[{', '.join(one)}]", "failed", "not among the options")
    for row in report.signatures:
        digest = read_signature(row.signature).digest
        if not row.signature.get("model") and row.digest != digest:
            yield Difference(f"signatures[{row.side}, {row.measure}].digest", row.digest, digest)
    if data.corpus and list(data.corpus.systems) != data.study["corpus_systems"]:
        yield Difference("study.json.corpus_systems", data.study["corpus_systems"], list(data.corpus.systems))
    if "primary" in data.plan and report.options.get("primary") != data.plan["primary"]:
        yield Difference("options.primary", report.options.get("primary"), data.plan["primary"])


def compare_pages(data: BundleData) -> Iterator[Difference]:
    """What questionnaires.csv says of a page against its rows in ratings.csv, and rows against the plan."""
    rows: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for row in data.rows:
        page = (row.get("questionnaire") or "", row["rater"])
        rows.setdefault(page, set()).add((row.get("state", COUNTED), row.get("submitted_at") or ""))
    listed = Counter((row["questionnaire"], row["rater"]) for row in data.questionnaires)
    for page, count in listed.items():
        if count > 1:
            yield Difference(_page(page), f"{count} rows", "one row")
    for row in data.questionnaires:
        page = (row["questionnaire"], row["rater"])
        found = rows.pop(page, None)
        if row["state"] == _UNSUBMITTED or found is None:
            if (row["state"] in (COUNTED, "surplus")) != bool(found):
                yield Difference(_page(page), row["state"], "rated" if found else "no rating of it")
            continue
        states = {COUNTED if state == _EXCLUDED else state for state, _ in found}
        if states != {row["state"]}:
            yield Difference(f"{_page(page)}.state", row["state"], ", ".join(sorted(states)))
        times = {time for _, time in found}
        if row["submitted_at"] not in times:
            yield Difference(f"{_page(page)}.submitted_at", row["submitted_at"], ", ".join(sorted(times)))
    for page in rows:
        yield Difference(_page(page), MISSING, "rated")
    yield from _compare_with_plan(data)


def _page(page: tuple[str, str]) -> str:
    return f"{QUESTIONNAIRES_FILE}[{', '.join(page)}]"


def _compare_with_plan(data: BundleData) -> Iterator[Difference]:
    """Rows of pairs that the plan does not have on that page."""
    planned = {
        (str(page["number"]), page["document"], item["system"], *sorted((page["reader_a"], page["reader_b"])))
        for page in data.plan["questionnaires"]
        for item in page["items"]
    }
    for number, row in enumerate(data.rows, start=2):
        pair = (row["doc_id"], row["system"], *sorted((row["reader_a"], row["reader_b"])))
        if (row.get("questionnaire") or "", *pair) not in planned:
            yield Difference(f"ratings.csv[line {number}]", ", ".join(pair), "no such pair in the plan")
