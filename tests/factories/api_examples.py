"""What a program sends and gets on its way from a corpus to a report, asked of the real site."""

import json
from pathlib import Path
from typing import Any

from survey_site.batches.models import Batch
from survey_site.corpus.queries import load_corpus
from tests.factories.api import Program, make_program
from tests.factories.given import distances_table
from tests.factories.scoring import make_rated_batch

SAMPLE = Path(__file__).parents[2] / "static" / "samples" / "corpus.jsonl"
MOST = 2
"""Elements of a list that an example shows."""
LONG = ("records", "signature", "options", "by_completed")
"""Fields whose content would fill pages; the example shows them empty."""

RATINGS = b"""doc_id,system,reader_a,reader_b,rater,rating
doc1,Copy,reader1,reader2,ann,2
doc1,Same,reader1,reader2,ann,6
"""

Examples = dict[str, dict[str, Any]]


def collect_examples() -> Examples:
    """By operation what was sent and what came back."""
    program = make_program()
    imported = program.ask("POST", "corpora/?name=News", SAMPLE.read_bytes(), kind="application/jsonl")
    plan = {"corpus": imported.json()["id"], "name": "Pilot", "documents": 1, "raters": 2}
    planned = program.post("batches/", plan)
    examples = {
        "import_corpus": {"response": imported.json()},
        "plan_batch": {"request": plan, "response": planned.json()},
        "check_launch": {"response": program.get(f"batches/{planned.json()['id']}/checks/").json()},
        "preview_batch": {"response": program.get(f"batches/{planned.json()['id']}/preview/").json()},
        "change_draft": {
            "request": {"raters": 3},
            "response": program.ask("PATCH", f"batches/{planned.json()['id']}/", {"raters": 3}).json(),
        },
        "list_corpora": {"response": program.get("corpora/").json()},
        **_of_a_batch(program, make_rated_batch(systems_per_questionnaire=5)),
    }
    return {name: {part: _cut(value) for part, value in one.items()} for name, one in examples.items()}


def _of_a_batch(program: Program, batch: Batch) -> Examples:
    path = f"batches/{batch.pk}/"
    ratings = program.get(f"{path}ratings/", Accept="application/json")
    excluded = {"rater": batch.people.first().code, "reason": "rated every pair alike"}
    wanted = {"batch": batch.pk, "measures": ["rouge-l"], "surrogates": ["rouge-l"]}
    scores = {"corpus": batch.corpus_id, "measure": "rouge-l"}
    asked = program.post("reports/", wanted).json()
    return {
        "list_batches": {"response": program.get("batches/").json()},
        "read_batch": {"response": program.get(path).json()},
        "read_plan": {"response": program.get(f"{path}plan/").json()},
        "read_progress": {"response": program.get(f"{path}progress/").json()},
        "list_questionnaires": {"response": program.get(f"{path}questionnaires/").json()},
        "list_raters": {"response": program.get(f"{path}raters/").json()},
        "read_ratings": {"response": _loaded(ratings)},
        "request_scores": {"request": scores, "response": program.post("score-runs/", scores).json()},
        "request_report": {"request": wanted, "response": asked},
        "list_report_files": {"response": program.get(f"reports/{asked['id']}/files/").json()},
        **_of_files(program, batch),
        "launch_batch": {"request": {"confirmed": True}},
        "move_window": {"request": {"closes_at": "2027-03-01T18:00:00Z"}},
        "declare_primary": {"request": {"primary_coefficient": "kendall", "primary_surrogate": "rouge-l"}},
        "extend_batch": {"request": {"raters": 1}},
        "exclude_rater": {
            "request": excluded,
            "response": program.post(f"{path}exclusions/", excluded).json(),
        },
    }


def _of_files(program: Program, batch: Batch) -> Examples:
    """Ratings and distances of the batch's corpus that another tool gave."""
    distances = distances_table(load_corpus(batch.corpus))
    about = f"?corpus={batch.corpus_id}&scale=similarity&name=Elsewhere&file=ratings.csv"
    uploaded = program.ask("POST", f"uploads/{about}", RATINGS, kind="text/csv")
    measure = program.ask(
        "POST", f"corpora/{batch.corpus_id}/distances/?name=own", distances, kind="text/csv"
    )
    return {"upload_ratings": {"response": uploaded.json()}, "upload_distances": {"response": measure.json()}}


def _loaded(response: Any) -> Any:
    return json.loads(b"".join(response.streaming_content))


def _cut(value: Any) -> Any:
    if isinstance(value, list):
        return [_cut(one) for one in value[:MOST]]
    if isinstance(value, dict):
        return {name: (type(one)() if name in LONG and one else _cut(one)) for name, one in value.items()}
    return value
