"""What somebody changes in a bundle and seals anew is named, whatever file or field it stands in."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from meta_eval.publish.bundle import verify_bundle
from tests.meta_eval.publish.bundle.test_bundle import CONTENT, bundle, changed
from tests.meta_eval.surveys import with_inference

SEALED = bundle(replace(with_inference(CONTENT), study={**CONTENT.study, "instructions": "Read both."}))


def tampered(name: str, change: Callable[[Any], Any]) -> io.BytesIO:
    """Sealed anew with a file changed: JSON by a function that changes it in place, else by its text."""

    def change_json(text: str) -> str:
        record = json.loads(text)
        change(record)
        return json.dumps(record)

    return changed(SEALED, name, change_json if name.endswith(".json") else change, reseal=True)


def set_to(*path: Any, to: Any) -> Callable[[Any], None]:
    def change(record: Any) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = to

    return change


def forge_answer(report: Any) -> None:
    report["answer"] |= {"headline": "JSD agrees best with the raters.", "cautions": []}
    report["answer"]["ranking"][0] |= {"mean": 1.0, "ci_low": 0.99, "ci_high": 1.0, "p_raters": 0.0001}


def forge_as_older(report: Any) -> None:
    forge_answer(report)
    report["schema_version"] = 6


def forge_beside_a_measure(report: Any) -> None:
    """Of a measure that cannot run here, so that all statistics would be open."""
    forge_answer(report)
    report["options"]["measures"].append("bertscore:model=/nowhere")


def drop_lines(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[:-2])


TAMPERINGS = {
    "an answer": ("report.json", forge_answer, "answer."),
    "an answer of an older version": ("report.json", forge_as_older, "answer."),
    "an answer beside a measure without scores": ("report.json", forge_beside_a_measure, "options.measures"),
    "the order of an answer": ("report.json", lambda r: r["answer"]["ranking"].reverse(), "answer.ranking"),
    "a seed": ("report.json", set_to("options", "seed", to=1), "options.seed"),
    "resamples": ("report.json", set_to("options", "resamples", to=9_000), "options.resamples"),
    "an option that there is not": ("report.json", set_to("options", "experts", to=True), "options.experts"),
    "the ends of the scale": ("report.json", set_to("options", "lowest", to=0), "options.lowest"),
    "invented raters": ("report.json", set_to("subject", "raters", to=300), "subject.raters"),
    "a question in the report": ("report.json", set_to("subject", "question", to="?"), "subject.question"),
    "a count": ("report.json", set_to("ratings", "raters", to=300), "ratings.raters"),
    "an error of a measure": ("report.json", lambda r: r["failures"].append(
        {"side": "automatic", "measure": "bleu", "reason": "no"}), "failures"),
    "a digest": ("report.json", set_to("signatures", 0, "digest", to="0" * 64), "signatures"),
    "a number that became true": ("report.json", set_to("ratings", "simulated_raters", to=False), "ratings."),
    "a question in the study": ("study.json", set_to("question", to="Which is better?"), "subject.question"),
    "instructions": ("study.json", set_to("instructions", to="Read neither."), "datasheet.md"),
    "systems of the corpus": ("study.json", set_to("corpus_systems", to=["Copy"]), "study.json"),
    "a datasheet": ("datasheet.md", lambda text: text.replace("Pilot", "Large survey"), "datasheet.md"),
    "a README": ("README.md", lambda text: f"{text}\nChecked by experts.\n", "README.md"),
    "no datasheet": ("datasheet.md", lambda _: None, "datasheet.md"),
    "questionnaires that are not listed": ("questionnaires.csv", drop_lines, "questionnaires.csv"),
    "a page that nobody rated": ("questionnaires.csv", lambda text: f"{text}9,r-9,submitted,,\n",
                                 "questionnaires.csv"),
    "a page out of the scores": ("questionnaires.csv", lambda text: text.replace(
        "-0,submitted,", "-0,surplus,", 1), "questionnaires.csv"),
    "the time of a page": ("ratings.csv", lambda text: text.replace("2026-03-01T12", "2025-03-01T12"),
                           "questionnaires.csv"),
    "a row that the plan does not have": ("plan.json", lambda plan: plan["questionnaires"].pop(), "plan."),
    "a title": ("corpus.jsonl", lambda text: text.replace("Report on", "Story of"), "subject.corpus_hash"),
    "a text with a hidden field": ("corpus.jsonl", lambda text: text.replace("{", '{"by": "us", ', 1),
                                   "corpus.jsonl"),
}  # fmt: skip


@pytest.mark.parametrize("what", TAMPERINGS)
def test_what_was_changed_and_sealed_anew_is_named(what):
    name, change, place = TAMPERINGS[what]
    found = verify_bundle(tampered(name, change))
    assert found.outcome == "differs"
    assert [one.path for one in found.differences if one.path.startswith(place)]
    assert found.first_line.startswith("DIFFERS: ")


def test_what_people_wrote_is_listed_and_counts_as_no_number():
    whole = verify_bundle(SEALED)
    assert whole.outcome == "sound"
    note = "All raters were professional editors."
    found = verify_bundle(tampered("report.json", lambda report: report["notes"].append(note)))
    [path] = [one.path for one in found.stated if note in one.what]
    assert path.startswith("notes[")
    named = verify_bundle(tampered("report.json", set_to("subject", "raters_flagged", to=0)))
    assert "subject.raters_flagged" in {one.path for one in named.stated}
    places = {"ratings.csv.flipped", "ratings.csv.submitted_at", "plan.json.questionnaires.items.places"}
    assert places | {"study.json.instructions"} <= {one.path for one in whole.stated}
    assert found.verified == named.verified == whole.verified


def test_a_key_that_stands_twice_is_a_fault():
    twice = changed(
        SEALED, "report.json", lambda text: text.replace("{", '{"problem": "none", ', 1), reseal=True
    )
    assert [fault.file for fault in verify_bundle(twice).files] == ["report.json"]


@pytest.mark.parametrize("change", [{"schema_version": 2}, {"checked_by": "us"}])
def test_a_manifest_says_nothing_but_the_seal(change):
    changed_manifest = changed(
        SEALED, "MANIFEST.json", lambda text: json.dumps({**json.loads(text), **change})
    )
    assert [fault.file for fault in verify_bundle(changed_manifest).files] == ["MANIFEST.json"]
