"""What a program sends and gets on its way from a corpus to a report, asked of the real site."""

import json
from pathlib import Path
from typing import Any

from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.corpus.queries import load_corpus
from survey_site.notices.models import NoticeKind
from survey_site.notices.services import notify
from survey_site.quality.freezing import freeze_batch
from tests.factories.accounts import make_user
from tests.factories.api import Program, make_program
from tests.factories.api_further_examples import further_examples
from tests.factories.batches import NOW, make_batch
from tests.factories.given import distances_table
from tests.factories.pens import pens_archive
from tests.factories.scoring import make_rated_batch
from tests.factories.studies import study_archive

SAMPLE = Path(__file__).parents[2] / "static" / "samples" / "corpus.jsonl"
MOST = 2
"""Elements of a list that an example shows."""
LONG = ("records", "signature", "options", "by_completed", "findings")
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
        **_of_things(program, asked["id"]),
        **_of_settings(program, path),
        **_of_people(program),
        **_of_quality(program, batch),
        **_of_a_draft(program, batch),
        "exclude_rater": {
            "request": excluded,
            "response": program.post(f"{path}exclusions/", excluded).json(),
        },
        **further_examples(program, batch),
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


def _of_settings(program: Program, path: str) -> Examples:
    """What is said of taking part, and of projects; a model is asked for only where one is set up."""
    member = make_user(role="researcher")
    named, joined = {"name": "Second team"}, {"username": member.username}
    project = program.post("projects/", named).json()
    members = f"projects/{project['id']}/members/"
    return {
        "read_participation": {"response": program.get(f"{path}participation/").json()},
        "read_consent": {"response": program.get(f"{path}consent/").json()},
        "write_consent": {
            "request": {"text": "I agree to take part."},
            "response": program.post(f"{path}consent/", {"text": "I agree to take part."}).json(),
        },
        "make_project": {"request": named, "response": project},
        "add_member": {"request": joined, "response": program.post(members, joined).json()},
        "list_members": {"response": program.get(members).json()},
        "list_models": {"response": program.get("models/").json()},
    }


def _of_things(program: Program, report: int) -> Examples:
    """What would be deleted, studies and notices."""
    study = program.ask("POST", "studies/?name=Films", study_archive(), kind="application/zip").json()
    pens = program.ask("POST", "corpora/pens/?name=PENS", pens_archive(), kind="application/zip")
    batch = Batch.objects.order_by("pk").last()
    assert batch
    notify(kind=NoticeKind.COMPLETE, batch=batch, key="1", now=NOW)
    notices = program.get("notices/").json()
    return {
        "foresee_deletion": {"response": program.get(f"keep/report/{report}/").json()},
        "archive_thing": {"response": program.post(f"keep/report/{report}/archive/").json()},
        "import_pens": {"response": pens.json()},
        "upload_study": {"response": study},
        "list_studies": {"response": program.get("studies/").json()},
        "list_notices": {"response": notices},
        "mark_notice_read": {"response": program.post(f"notices/{notices['results'][0]['id']}/read/").json()},
    }


def _of_people(program: Program) -> Examples:
    """Accounts, invitations, the audit log and the state of the site."""
    asked = {"name": "Bo Chen", "role": "researcher"}
    person = make_user(role="researcher")
    path, change = f"accounts/{person.pk}/", {"role": "auditor"}
    return {
        "list_accounts": {"response": program.get("accounts/").json()},
        "read_account": {"response": program.get(path).json()},
        "change_account": {"request": change, "response": program.ask("PATCH", path, change).json()},
        "invite_person": {"request": asked, "response": _hidden(program.post("invitations/", asked).json())},
        "list_invitations": {"response": program.get("invitations/").json()},
        "make_password_link": {"response": _hidden(program.post(f"{path}password-link/").json())},
        "end_log_ins": {"response": program.post(f"{path}end-log-ins/").json()},
        "reset_second_step": {"response": program.get(path).json()},
        "unlink_account": {"response": program.get(path).json()},
        "list_audit_entries": {"response": program.get("audit/?action=role changed").json()},
        "read_status": {"response": program.get("status/").json()},
    }


HIDDEN = "http://testserver/accounts/link/a-secret-that-is-shown-once/"


def _hidden(made: dict[str, Any]) -> dict[str, Any]:
    return {**made, "address": HIDDEN}


def _of_quality(program: Program, batch: Batch) -> Examples:
    """What is said of a batch's ratings, and two reports side by side."""
    path, rater = f"batches/{batch.pk}/", batch.people.order_by("pk")[1].code
    precision = program.get(f"{path}precision/").json()
    precision["options"] = [{**one, "coefficients": one["coefficients"][:1]} for one in precision["options"]]
    rated = make_rated_batch(corpus=batch.corpus)
    closed = freeze_batch(batch=close_batch(batch=rated, now=NOW), clock=lambda: NOW).batch_id
    return {
        "read_quality": {"response": program.get(f"{path}quality/").json()},
        "read_rater": {"response": program.get(f"{path}raters/{rater}/").json()},
        "plan_precision": {"response": precision},
        "reopen_expired": {"response": program.post(f"{path}reopen/").json()},
        "read_snapshot": {"response": program.get(f"batches/{closed}/snapshot/").json()},
        "check_snapshot": {"response": program.post(f"batches/{closed}/snapshot/").json()},
    }


def _of_a_draft(program: Program, batch: Batch) -> Examples:
    """How people are sent to a draft, and what they read in a further language."""
    draft = make_batch(corpus=batch.corpus, launched=False, languages=["en", "ar"])
    path, panel, more = f"batches/{draft.pk}/", {"panel": "cloudresearch"}, {"count": 2}
    pair = {"left": "Rain in Rome", "right": "It rains in Rome", "low": 5, "high": 6, "why": "The same news."}
    texts = {"wording": {"question": "ما مدى تشابه النصين؟"}, "examples": [pair]}
    made = program.post(f"{path}participation/panel/", panel).json()
    return {
        "set_up_panel": {"request": panel, "response": made},
        "read_panel": {"response": program.get(f"{path}participation/panel/").json()},
        "make_personal_links": {
            "request": more,
            "response": program.post(f"{path}participation/links/", more).json(),
        },
        "read_personal_links": {"response": program.get(f"{path}participation/links/").json()},
        "change_texts": {
            "request": texts,
            "response": program.ask("PATCH", f"{path}texts/ar/", texts).json(),
        },
        "read_texts": {"response": program.get(f"{path}texts/ar/").json()},
    }


def _loaded(response: Any) -> Any:
    return json.loads(b"".join(response.streaming_content))


def _cut(value: Any) -> Any:
    if isinstance(value, list):
        return [_cut(one) for one in value[:MOST]]
    if isinstance(value, dict):
        return {name: (type(one)() if name in LONG and one else _cut(one)) for name, one in value.items()}
    return value
