"""The operations of the API that the client asks for; a test compares them with the site's schema."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operation:
    """Method and path below `/api/v1/`. `keyed`: it makes something, so that an Idempotency-Key is sent."""

    method: str
    path: str
    keyed: bool = False


OPERATIONS: Mapping[str, Operation] = {
    "list_corpora": Operation("GET", "corpora/"),
    "import_corpus": Operation("POST", "corpora/", keyed=True),
    "read_corpus": Operation("GET", "corpora/{id}/"),
    "list_uploads": Operation("GET", "uploads/"),
    "upload_ratings": Operation("POST", "uploads/", keyed=True),
    "list_projects": Operation("GET", "projects/"),
    "list_distances": Operation("GET", "corpora/{id}/distances/"),
    "upload_distances": Operation("POST", "corpora/{id}/distances/", keyed=True),
    "read_distances": Operation("GET", "corpora/{id}/distances/{distances}/"),
    "remove_distances": Operation("DELETE", "corpora/{id}/distances/{distances}/"),
    "list_batches": Operation("GET", "batches/"),
    "plan_batch": Operation("POST", "batches/", keyed=True),
    "read_batch": Operation("GET", "batches/{id}/"),
    "change_draft": Operation("PATCH", "batches/{id}/"),
    "delete_draft": Operation("DELETE", "batches/{id}/"),
    "preview_batch": Operation("GET", "batches/{id}/preview/"),
    "declare_primary": Operation("POST", "batches/{id}/primary/"),
    "read_plan": Operation("GET", "batches/{id}/plan/"),
    "check_launch": Operation("GET", "batches/{id}/checks/"),
    "read_progress": Operation("GET", "batches/{id}/progress/"),
    "list_questionnaires": Operation("GET", "batches/{id}/questionnaires/"),
    "read_ratings": Operation("GET", "batches/{id}/ratings/"),
    "list_raters": Operation("GET", "batches/{id}/raters/"),
    "list_exclusions": Operation("GET", "batches/{id}/exclusions/"),
    "exclude_rater": Operation("POST", "batches/{id}/exclusions/", keyed=True),
    "undo_exclusion": Operation("DELETE", "batches/{id}/exclusions/{exclusion}/"),
    "launch_batch": Operation("POST", "batches/{id}/launch/"),
    "move_window": Operation("POST", "batches/{id}/window/"),
    "pause_batch": Operation("POST", "batches/{id}/pause/"),
    "resume_batch": Operation("POST", "batches/{id}/resume/"),
    "extend_batch": Operation("POST", "batches/{id}/extend/", keyed=True),
    "close_batch": Operation("POST", "batches/{id}/close/"),
    "freeze_batch": Operation("POST", "batches/{id}/freeze/"),
    "list_score_runs": Operation("GET", "score-runs/"),
    "request_scores": Operation("POST", "score-runs/", keyed=True),
    "read_score_run": Operation("GET", "score-runs/{id}/"),
    "cancel_scores": Operation("POST", "score-runs/{id}/cancel/"),
    "retry_scores": Operation("POST", "score-runs/{id}/retry/"),
    "list_reports": Operation("GET", "reports/"),
    "request_report": Operation("POST", "reports/", keyed=True),
    "read_report": Operation("GET", "reports/{id}/"),
    "retry_report": Operation("POST", "reports/{id}/retry/"),
    "list_report_files": Operation("GET", "reports/{id}/files/"),
    "read_report_file": Operation("GET", "reports/{id}/files/{address}"),
    "read_report_bundle": Operation("GET", "reports/{id}/files/bundle.zip"),
    "list_models": Operation("GET", "models/"),
    "plan_models": Operation("POST", "batches/{id}/models/plan/"),
    "list_model_runs": Operation("GET", "batches/{id}/models/"),
    "begin_models": Operation("POST", "batches/{id}/models/", keyed=True),
    "read_model_run": Operation("GET", "batches/{id}/models/{run}/"),
    "cancel_model_run": Operation("POST", "batches/{id}/models/{run}/cancel/"),
    "retry_model_run": Operation("POST", "batches/{id}/models/{run}/retry/"),
    "read_model_file": Operation("GET", "batches/{id}/models/{run}/files/{file}"),
    "foresee_deletion": Operation("GET", "keep/{kind}/{id}/"),
    "delete_thing": Operation("DELETE", "keep/{kind}/{id}/"),
    "archive_thing": Operation("POST", "keep/{kind}/{id}/archive/"),
    "take_out_thing": Operation("POST", "keep/{kind}/{id}/take-out/"),
}
