"""The library's client beside the site's schema: operations, records and what can be asked for."""

import dataclasses
import typing
from types import UnionType

import pytest
from drf_spectacular.generators import SchemaGenerator

from meta_eval.client import (
    batches,
    corpora,
    keeping,
    models,
    projects,
    quality,
    records,
    reports,
    runs,
    studies,
    taking_part,
    wishes,
)
from meta_eval.client.operations import OPERATIONS
from survey_site.api.schema import operations
from survey_site.api.shapes.files import UploadQuery
from survey_site.api.shapes.quality import PrecisionQuery

pytestmark = pytest.mark.django_db

_RECEIVER = "a program that receives webhooks is no notebook: its webhooks are made in the pages or by HTTP"
_PANEL = "a panel's own program says it, to which the call comes"
_WHOLE_SITE = "it looks after the whole site, and a notebook is about one study: by HTTP or in the pages"
LEFT_OUT = {
    **dict.fromkeys(("list_webhooks", "make_webhook", "read_webhook", "delete_webhook"), _RECEIVER),
    "change_webhook": _RECEIVER,
    **dict.fromkeys(("test_webhook", "rotate_webhook", "list_deliveries", "replay_delivery"), _RECEIVER),
    "take_panel_event": _PANEL,
    **dict.fromkeys(("list_accounts", "read_account", "change_account", "list_invitations"), _WHOLE_SITE),
    **dict.fromkeys(("invite_person", "withdraw_invitation", "make_password_link"), _WHOLE_SITE),
    **dict.fromkeys(("end_log_ins", "reset_second_step", "unlink_account"), _WHOLE_SITE),
    **dict.fromkeys(("list_audit_entries", "read_status"), _WHOLE_SITE),
}
"""Operations of the schema that the client has no method for, each with the reason."""

RECORDS = {
    models.Models: "ModelsShape",
    models.ModelsPlan: "ModelsPlanShape",
    models.PlannedModel: "PlannedModelShape",
    models.ModelsTotal: "ModelsTotalShape",
    models.Message: "ExampleMessageShape",
    models.ModelRun: "ModelRunShape",
    studies.StudyRow: "StudyShape",
    studies.Study: "OneStudyShape",
    taking_part.Participation: "ParticipationShape",
    taking_part.Consents: "ConsentsShape",
    taking_part.Consent: "ConsentShape",
    taking_part.Panels: "PanelShape",
    taking_part.PanelChoice: "PanelChoiceShape",
    taking_part.PersonalLink: "PersonalLinkShape",
    taking_part.Texts: "TextsShape",
    quality.Quality: "QualityShape",
    quality.RaterPages: "OneRaterShape",
    quality.Precision: "PrecisionShape",
    quality.Snapshot: "SnapshotShape",
    reports.Comparison: "ComparisonShape",
    projects.Member: "MemberShape",
    records.Notice: "NoticeShape",
    keeping.Kept: "KeptShape",
    keeping.Obstacle: "ObstacleShape",
    corpora.CorpusRow: "CorpusShape",
    corpora.Corpus: "OneCorpusShape",
    records.CorpusSystem: "SystemShape",
    records.Upload: "UploadShape",
    projects.Project: "ProjectShape",
    records.Distances: "DistancesShape",
    records.Preview: "PreviewShape",
    records.PreviewPair: "PreviewPairShape",
    records.Point: "PointShape",
    records.Reason: "ReasonShape",
    batches.BatchRow: "BatchShape",
    batches.Batch: "OneBatchShape",
    records.Plan: "PlanShape",
    records.PlannedQuestionnaire: "PlannedShape",
    records.PlannedItem: "PlannedItemShape",
    records.Check: "CheckShape",
    records.Progress: "ProgressShape",
    records.SystemCount: "SystemCountShape",
    records.Questionnaire: "QuestionnaireShape",
    records.Rater: "RaterShape",
    records.Exclusion: "ExclusionShape",
    runs.ScoreRunRow: "ScoreRunShape",
    runs.ScoreRun: "OneScoreRunShape",
    reports.ReportRow: "ReportShape",
    reports.Report: "OneReportShape",
    records.Part: "PartShape",
    records.ReportFile: "FileShape",
}
"""What comes back, and its shape in the schema: a field of the client that the site lacks would break it."""

WISHES = {
    wishes.PlanFields: ("PlanRequest", {"corpus", "name"}),
    wishes.ChangeFields: ("PatchedPlanChange", set()),
    wishes.WindowFields: ("WindowRequest", set()),
    wishes.ModelFields: ("ModelsQuestion", {"models"}),
    wishes.ParticipationFields: ("PatchedParticipationChange", set()),
    wishes.TextFields: ("PatchedTextsChange", set()),
    wishes.WordingFields: ("WordingShape", set()),
    wishes.PairFields: ("PairShape", set()),
    wishes.PublishedTable: ("PublishedRequest", set()),
    wishes.ReportFields: ("ReportRequest", {"batch", "measures", "surrogates"}),
    wishes.ScoreFields: ("ScoreRunRequest", {"corpus", "batch", "measure"}),
}
"""What is asked for, its shape, and the fields that the methods take by themselves."""

KINDS = {"integer": int, "string": str, "boolean": bool, "number": float, "array": list, "object": dict}


@pytest.fixture(scope="module")
def schema():
    return SchemaGenerator().get_schema(request=None, public=True)


def test_every_operation_of_the_schema_is_the_clients_or_left_out_with_a_reason(schema):
    there = {
        one["operationId"]: (method.upper(), path.removeprefix("/api/v1/"), _keyed(one))
        for path, method, one in operations(schema)
    }
    known = {name: (one.method, one.path, one.keyed) for name, one in OPERATIONS.items()}
    assert {name: one for name, one in there.items() if name not in LEFT_OUT} == known
    assert [name for name, reason in LEFT_OUT.items() if name not in there or not reason] == []


def _keyed(operation):
    return any(one["name"] == "Idempotency-Key" for one in operation.get("parameters", []))


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: one.__name__)
def test_every_field_of_a_record_is_in_the_schema_as_what_the_client_takes_it_for(record, schema):
    shape = schema["components"]["schemas"][RECORDS[record]]
    properties, hints = shape["properties"], typing.get_type_hints(record)
    for field in dataclasses.fields(record):
        said = properties[field.name]
        kinds = said.get("type", [])
        kinds = {kinds} if isinstance(kinds, str) else set(kinds)
        if kinds:
            assert _kinds(hints[field.name]) >= {KINDS.get(one, type(None)) for one in kinds}, field.name
        required = field.default is dataclasses.MISSING
        assert required <= (field.name in shape["required"]), field.name


def _kinds(hint):
    """The plain types that a hint allows; any of them for Any."""
    if hint is typing.Any:
        return {*KINDS.values(), type(None)}
    if typing.get_origin(hint) in {typing.Union, UnionType}:
        return set().union(*map(_kinds, typing.get_args(hint)))
    plain = typing.get_origin(hint) or hint
    if plain is typing.Literal:
        return {str}
    return {str if plain.__name__ == "datetime" else dict if dataclasses.is_dataclass(plain) else plain}


@pytest.mark.parametrize("wish", WISHES, ids=lambda one: one.__name__)
def test_what_can_be_asked_for_is_what_the_schema_takes(wish, schema):
    shape, apart = WISHES[wish]
    assert set(wish.__annotations__) | apart == set(schema["components"]["schemas"][shape]["properties"])


def test_what_can_be_assumed_of_precision_is_what_the_site_takes():
    assert set(wishes.PrecisionFields.__annotations__) == set(PrecisionQuery().fields)


def test_what_can_be_said_of_uploaded_ratings_is_what_the_site_takes():
    assert set(wishes.UploadFields.__annotations__) | {"corpus", "scale"} == set(UploadQuery().fields)
