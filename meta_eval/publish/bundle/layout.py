"""What a bundle holds, file by file, and how its seal is made."""

import hashlib
from collections.abc import Iterable, Mapping

from meta_eval.publish.long_form import QUESTIONNAIRES_FILE
from meta_eval.ratings.survey import COUNTED as COUNTED  # noqa: PLC0414 - a file of a bundle names it

SCHEMA = "concord-bundle"
SCHEMA_VERSION = 1

MANIFEST_FILE = "MANIFEST.json"
README_FILE = "README.md"
REPORT_FILE = "report.json"
CORPUS_FILE = "corpus.jsonl"
HASHES_FILE = "corpus-hashes.jsonl"
GENERATED_FILE = "corpus.llm.json"
RATINGS_FILE = "ratings.csv"
GIVEN_FILE = "distances.csv"
SEALED_FILE = "model-distances.csv"
SEALED_TEXTS_FILE = "model-texts.csv"
MODELS_FILE = "model-answers.csv"
JUDGE_FILE = "judge.json"
JUDGE_REPLIES_FILE = "judge-replies.jsonl"
JUDGMENTS_FILE = "judgments.csv"

GIVEN_COLUMNS = ("measure", "first_sha256", "second_sha256", "distance")
SEALED_COLUMNS = ("signature", *GIVEN_COLUMNS[1:])
SEALED_TEXTS_COLUMNS = ("signature", "text_sha256", "nothing", "words", "letters_dropped")

PLAN_FILE = "plan.json"
STUDY_FILE = "study.json"
DATASHEET_FILE = "datasheet.md"

BUNDLE_FILES: Mapping[str, str] = {
    README_FILE: "This page.",
    REPORT_FILE: "The report: every score, correlation, option, left-out, signature and library version.",
    CORPUS_FILE: "The texts: one document a line with its references and the summaries of every system.",
    HASHES_FILE: "In place of the texts where they may not be shared: the SHA-256 of each of them.",
    GENERATED_FILE: "How systems of the corpus were generated: model, prompts, settings and counts of each.",
    RATINGS_FILE: "One row a rating, by pseudonymous raters, with its place, its side and its state.",
    GIVEN_FILE: "Distances that other tools computed: measure, SHA-256 of the two texts, distance.",
    SEALED_FILE: "Distances that language models gave: signature, SHA-256 of the two texts, distance.",
    SEALED_TEXTS_FILE: "What the models' tokenizers made of each text: nothing, words, letters dropped.",
    MODELS_FILE: "What language models answered beside people: one row an answer. They enter no score.",
    JUDGE_FILE: "How a model judged summaries in readers' places: plan, options, what readers had read.",
    JUDGE_REPLIES_FILE: "Every reply of that model, by the SHA-256 of its request.",
    JUDGMENTS_FILE: "The judgments: a row a summary and reader's profile, with its score.",
    QUESTIONNAIRES_FILE: "One row a questionnaire and rater: its state when the report was made.",
    PLAN_FILE: "The survey plan: seed, options, questionnaires, and the order and side of each pair.",
    DATASHEET_FILE: "Human evaluation datasheet (HEDS 3.0), filled in as far as report and study know it.",
    STUDY_FILE: "What raters were asked: scale and its direction, question, labels, instructions, consent.",
    MANIFEST_FILE: "SHA-256 of each file, and of the list of them: the seal of the whole.",
}
"""Meaning of every file of a bundle."""

JUDGED_FILES = (JUDGE_FILE, JUDGE_REPLIES_FILE, JUDGMENTS_FILE)
"""Of a judge of summaries: they quote the texts, so a bundle of hashes has none of them."""

REQUIRED_FILES = (REPORT_FILE, RATINGS_FILE, QUESTIONNAIRES_FILE, PLAN_FILE, STUDY_FILE)


def seal_of(hashes: Mapping[str, str]) -> str:
    """SHA-256 of the lines "hash, two spaces, name" in order of name, as `sha256sum` writes them."""
    lines = (f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def readme(files: Iterable[str], *, seed: object) -> str:
    """The page that says what each file is and how to check the bundle."""
    rows = "\n".join(f"| `{name}` | {BUNDLE_FILES[name]} |" for name in files)
    return f"""# A sealed report

This archive holds a report on how automatic measures of personalised summarisation agree with human raters,
and everything that the report was computed from. Seed of the plan: {seed}.

| file | what it is |
|---|---|
{rows}

## Check it

    python -m meta_eval verify BUNDLE.zip

computes the answer and every number of `{REPORT_FILE}` again from the texts, ratings and distances here, and
says first what came of it: sound, what differs, or what could not be computed again. What no data can show,
such as what people wrote, is listed as stated, not checked.

Raters are pseudonyms. In `{RATINGS_FILE}`, rows in state `{COUNTED}` are in the scores; others are not.
`position` counts from 1 down the page of that rater; `flipped` says that the second reader's text stood
first. A row with a `copied_from` was not shown: it repeats the answer to the pair of the same two texts in
that position.
Hashes of short texts can be found by guessing; they show that texts are the same, they do not hide them.
"""
