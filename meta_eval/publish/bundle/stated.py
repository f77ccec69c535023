"""What stands in a bundle by somebody's word alone: nothing in it can show whether it is so."""

from collections.abc import Collection, Iterator

from meta_eval.publish.bundle.consistency import CITED, NAMES
from meta_eval.publish.bundle.layout import GENERATED_FILE, PLAN_FILE, RATINGS_FILE, STUDY_FILE
from meta_eval.publish.bundle.reading import BundleData
from meta_eval.publish.bundle.verification import Stated
from meta_eval.publish.long_form import QUESTIONNAIRES_FILE
from meta_eval.ratings.rows import RATING_COLUMNS
from meta_eval.ratings.survey import COUNTED
from meta_eval.report.facts import ONLY_WHERE_SO

_BY_MAKER = "named by who made the report"
_LIBRARIES = "the libraries that made the report"
_BESIDE = "what was given to be set beside the report"
_COUNTED_THEN = "a count of the survey when the report was made"
_MET = "how raters met the pairs, and when they did"
_SET_UP = "how the survey was set up, and what raters were told"
_PLAN_USED = ("systems", "questionnaires", "seed", "from_ratings", "notes", "primary")
_STUDY_USED = (
    *("scale", "raters", "question", "lowest", "highest", "document_shown"),
    *("corpus_systems", *CITED, *ONLY_WHERE_SO),
)
_COLUMNS_USED = (*RATING_COLUMNS, "questionnaire", "state", "simulated")
_PAGE_USED = ("number", "document", "reader_a", "reader_b", "items")


def stated_only(data: BundleData, follow: Collection[str]) -> list[Stated]:
    """All of it by place; `follow` are the notes that the data give."""
    return [*_of_the_report(data, follow), *_of_the_survey(data)]


def _of_the_report(data: BundleData, follow: Collection[str]) -> Iterator[Stated]:
    report = data.report
    named = [name for name in NAMES if name in report.subject and name not in data.study]
    yield from (Stated(f"subject.{name}", _BY_MAKER) for name in named)
    notes = [(number, note) for number, note in enumerate(report.notes) if note not in follow]
    yield from (Stated(f"notes[{number}]", f"“{note}”") for number, note in notes)
    if report.participants:
        yield Stated("participants", "what people said of themselves")
    for one in report.failures:
        yield Stated(f"failures[{one.side}, {one.measure}]", f"has no scores: {one.reason}")
    yield Stated("versions", _LIBRARIES)
    for row in report.signatures:
        place = f"signatures[{row.side}, {row.measure}]"
        yield Stated(f"{place}.signature.versions", _LIBRARIES)
        yield from [Stated(f"{place}.digest", _LIBRARIES)] if row.signature.get("model") else []
    given = ("published", "same_systems", "model_runs", "judge")
    yield from (Stated(f"options.{name}", _BESIDE) for name in given if report.options.get(name))


def _of_the_survey(data: BundleData) -> Iterator[Stated]:
    yield from (Stated(f"left_out[{what}]", _COUNTED_THEN) for what in data.unseen_counts)
    apart = sum(row.get("state", COUNTED) != COUNTED for row in data.rows)
    if apart:
        yield Stated(RATINGS_FILE, f"{apart} rows that enter no score, and why they do not")
    columns = [name for name in (data.rows[0] if data.rows else ()) if name not in _COLUMNS_USED]
    yield from (Stated(f"{RATINGS_FILE}.{name}", _MET) for name in columns)
    yield Stated(f"{QUESTIONNAIRES_FILE}.claimed_at", _MET)
    yield from (Stated(f"{PLAN_FILE}.{name}", _SET_UP) for name in data.plan if name not in _PLAN_USED)
    pages = data.plan["questionnaires"]
    beside = [f"questionnaires.{name}" for page in pages for name in page if name not in _PAGE_USED]
    items = (item for page in pages for item in page["items"])
    beside += [f"questionnaires.items.{name}" for item in items for name in item if name != "system"]
    yield from (Stated(f"{PLAN_FILE}.{name}", _MET) for name in dict.fromkeys(beside))
    yield from (Stated(f"{STUDY_FILE}.{name}", _SET_UP) for name in data.study if name not in _STUDY_USED)
    if data.generated:
        yield Stated(GENERATED_FILE, "how systems of the corpus were generated")
