"""Every address of staff's pages beside the operations that do the same, or the reason why none does."""

from drf_spectacular.generators import SchemaGenerator

from survey_site.api.schema import operations
from tests.survey_site.accounts.test_roles import routes

BATCH = "batches/<int:pk>/"
_JUDGE = (
    "a program lets a model judge by `judge summaries` itself; `request_report` takes a judge that is done"
)
RUN = f"{BATCH}models/<int:run>/"

_LOG_IN = "it is the way in of a browser; a program shows a token"
_OWN = (
    "a person looks after their own account where they logged in; a token that could do it would outlive them"
)
_WALK = "it is walked by a person, who sees the pages of raters; `preview_batch` gives what stands on them"

PAGES: dict[str, str | tuple[str, ...]] = {
    "": "it leads to the lists",
    "favicon.ico": "it is a picture",
    "accounts/": ("list_accounts", "list_invitations"),
    "accounts/audit/": ("list_audit_entries",),
    "accounts/invite/": ("invite_person",),
    "accounts/invitations/<int:pk>/withdraw/": ("withdraw_invitation",),
    "accounts/people/<int:pk>/": ("read_account",),
    "accounts/people/<int:pk>/access/": ("change_account",),
    "accounts/people/<int:pk>/openid/": ("unlink_account",),
    "accounts/people/<int:pk>/projects/": ("change_account",),
    "accounts/people/<int:pk>/reset/": ("make_password_link",),
    "accounts/people/<int:pk>/role/": ("change_account",),
    "accounts/people/<int:pk>/second-step/": ("reset_second_step",),
    "accounts/people/<int:pk>/sessions/": ("end_log_ins",),
    **dict.fromkeys(
        (
            *("accounts/forgotten/", "accounts/link/", "accounts/link/<str:secret>/", "accounts/login/"),
            *("accounts/login/code/", "accounts/logout/", "accounts/openid/", "accounts/openid/back/"),
        ),
        _LOG_IN,
    ),
    **dict.fromkeys(
        (
            *("accounts/you/", "accounts/you/details/", "accounts/you/openid/", "accounts/you/password/"),
            *("accounts/you/openid/unlink/", "accounts/you/second-step/", "accounts/you/second-step/codes/"),
            *("accounts/you/second-step/off/", "accounts/you/sessions/", "accounts/you/tokens/"),
            "accounts/you/tokens/<int:pk>/revoke/",
        ),
        _OWN,
    ),
    "batches/": ("list_batches",),
    "batches/effort/": "it is the estimate beside a form; `plan_precision` gives that of a planned batch",
    "batches/new/": ("plan_batch",),
    "batches/upload/": ("upload_ratings",),
    BATCH: ("read_batch", "read_progress"),
    f"{BATCH}edit/": ("change_draft",),
    f"{BATCH}delete/": ("delete_draft",),
    f"{BATCH}launch/": ("check_launch", "launch_batch"),
    f"{BATCH}progress/": ("read_progress",),
    f"{BATCH}pause/": ("pause_batch",),
    f"{BATCH}resume/": ("resume_batch",),
    f"{BATCH}close/": ("close_batch",),
    f"{BATCH}reopen/": ("reopen_expired",),
    f"{BATCH}extend/": ("extend_batch",),
    f"{BATCH}documents/": ("extend_batch",),
    f"{BATCH}window/": ("move_window",),
    f"{BATCH}primary/": ("declare_primary",),
    f"{BATCH}preview/": ("preview_batch",),
    f"{BATCH}walk/": _WALK,
    f"{BATCH}walk/<slug:language>/": _WALK,
    f"{BATCH}walk/<slug:language>/<path:page>/": _WALK,
    f"{BATCH}ratings.csv": ("read_ratings",),
    f"{BATCH}comments/": ("read_batch_file",),
    f"{BATCH}comments.csv": ("read_batch_file",),
    f"{BATCH}marks.csv": ("read_batch_file",),
    f"{BATCH}excluded.csv": ("read_batch_file",),
    f"{BATCH}snapshot.json": ("read_batch_file",),
    f"{BATCH}freeze/": ("freeze_batch", "read_snapshot"),
    f"{BATCH}freeze/asked/": ("read_batch",),
    f"{BATCH}freeze/checked/": ("read_snapshot", "check_snapshot"),
    f"{BATCH}freeze/flagged/": ("read_quality",),
    f"{BATCH}quality/": ("read_quality", "list_raters", "list_exclusions"),
    f"{BATCH}quality/found/": ("read_quality",),
    f"{BATCH}quality/so-far/": ("read_quality",),
    f"{BATCH}quality/raters/<str:code>/": ("read_rater", "exclude_rater"),
    f"{BATCH}quality/exclusions/<int:exclusion>/undo/": ("undo_exclusion",),
    f"{BATCH}precision/": ("plan_precision",),
    f"{BATCH}participation/": ("read_participation", "read_panel", "read_consent"),
    f"{BATCH}participation/settings/": ("change_participation", "set_up_panel"),
    f"{BATCH}participation/invitations/": ("make_personal_links",),
    f"{BATCH}participation/invitations.csv": ("read_personal_links",),
    f"{BATCH}participation/consent/": ("write_consent",),
    f"{BATCH}participation/texts/<str:language>/": ("read_texts",),
    f"{BATCH}participation/texts/<str:language>/change/": ("change_texts",),
    f"{BATCH}models/": ("list_models", "list_model_runs"),
    f"{BATCH}models/new/": ("plan_models", "begin_models"),
    f"{BATCH}models/judge/": _JUDGE,
    f"{BATCH}models/ratings.csv": ("read_model_file",),
    RUN: ("read_model_run",),
    f"{RUN}progress/": ("read_model_run",),
    f"{RUN}cancel/": ("cancel_model_run",),
    f"{RUN}retry/": ("retry_model_run",),
    **dict.fromkeys((f"{RUN}ratings.csv", f"{RUN}means.csv", f"{RUN}answers.jsonl"), ("read_model_file",)),
    **dict.fromkeys(
        (f"{RUN}scores.json", f"{RUN}judged.jsonl", f"{RUN}run.json", f"{RUN}replies.jsonl"), _JUDGE
    ),
    "corpora/": ("list_corpora",),
    "corpora/import/": ("import_corpus", "import_pens", "record_generated"),
    "corpora/<int:pk>/": ("read_corpus",),
    "corpora/<int:corpus>/distances/": ("list_distances", "read_distances"),
    "corpora/<int:corpus>/distances/upload/": ("upload_distances",),
    "corpora/<int:corpus>/distances/<int:pk>/remove/": ("remove_distances",),
    **dict.fromkeys(("help/", "help/<slug:name>/", "help/images/<str:name>"), "it is the documentation"),
    "keep/<slug:kind>/<int:pk>/archive/": ("archive_thing",),
    "keep/<slug:kind>/<int:pk>/take-out/": ("take_out_thing",),
    "keep/<slug:kind>/<int:pk>/delete/": ("foresee_deletion", "delete_thing"),
    "metrics/": "it is for a program already, with a token of its own",
    "notices/": ("list_notices",),
    "notices/<int:pk>/": ("mark_notice_read",),
    "notices/read/": ("mark_notices_read",),
    "projects/": ("list_projects", "make_project"),
    "projects/<int:pk>/": ("read_project", "rename_project", "list_members"),
    "projects/<int:pk>/delete/": ("delete_project",),
    "projects/shown/": "it narrows the lists that a browser shows; a program's lists take `project`",
    "projects/<int:pk>/members/": ("add_member", "remove_member"),
    "reports/": ("list_reports",),
    "reports/new/": ("request_report",),
    "reports/compare/": ("compare_reports",),
    "reports/<int:pk>/": ("read_report", "list_report_files"),
    "reports/<int:pk>/papers/": ("read_report_file",),
    "reports/<int:pk>/progress/": ("read_report",),
    "reports/<int:pk>/retry/": ("retry_report",),
    "reports/<int:pk>/bundle.zip": ("read_report_bundle",),
    "reports/<int:pk>/bundle/": ("read_report_bundle",),
    "reports/<int:pk>/bundle/progress/": ("read_report_bundle",),
    "reports/<int:pk>/<slug:name>.svg": "it leads from an old address of a figure to its new one",
    r"reports/^(?P<pk>[0-9]+)/(?P<address>.+\.\w+)$": ("read_report_file",),
    "runs/<int:pk>/": ("read_score_run", "list_score_runs"),
    "runs/<int:pk>/progress/": ("read_score_run",),
    "runs/<int:pk>/scores.csv": ("read_score_run",),
    "runs/<int:pk>/cancel/": ("cancel_scores",),
    "runs/<int:pk>/retry/": ("retry_scores",),
    "status/": ("read_status",),
    "studies/": ("list_studies",),
    "studies/upload/": ("upload_study",),
    "studies/<int:pk>/": ("read_study",),
    "studies/<int:pk>/files/<str:name>": ("read_study_file",),
    "webhooks/": ("list_webhooks", "make_webhook"),
    "webhooks/<int:pk>/": ("read_webhook", "change_webhook", "list_deliveries"),
    "webhooks/<int:pk>/on/": ("change_webhook",),
    "webhooks/<int:pk>/off/": ("change_webhook",),
    "webhooks/<int:pk>/delete/": ("delete_webhook",),
    "webhooks/<int:pk>/rotate/": ("rotate_webhook",),
    "webhooks/<int:pk>/test/": ("test_webhook",),
    "webhooks/<int:pk>/deliveries/<int:delivery>/replay/": ("replay_delivery",),
}
"""By address the operations that do what its page does, or why a program has none."""


WITHOUT_A_PAGE = {"take_panel_event", "read_plan", "list_questionnaires", "list_uploads", "request_scores"}
"""Operations of which the pages have a part at most: reports ask for scores by themselves."""


def test_every_page_of_staff_has_an_operation_or_a_reason():
    assert set(PAGES) == set(routes())
    assert [page for page, said in PAGES.items() if not said] == []


def test_every_operation_is_there_and_beside_a_page():
    schema = SchemaGenerator().get_schema(request=None, public=True)
    there = {one["operationId"] for *_, one in operations(schema)}
    named = {one for said in PAGES.values() if not isinstance(said, str) for one in said}
    assert there - named == WITHOUT_A_PAGE
    assert named <= there
