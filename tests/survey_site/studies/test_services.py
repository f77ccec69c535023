"""Results of a study are stored whole or not at all, once, with their hash and who uploaded them."""

import io
import json
import zipfile
from dataclasses import replace

import pytest
from django.contrib.admin import site
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from meta_eval.errors import InputError
from survey_site.accounts.models import AuditEntry
from survey_site.keeping.deleting import delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.studies.admin import StudyAdmin
from survey_site.studies.files import StudyFiles
from survey_site.studies.models import Study
from survey_site.studies.services import import_study
from tests.factories.batches import NOW
from tests.factories.studies import chosen_files, make_study, study_archive
from tests.factories.user_results import TRAIL, study_labels, study_texts

pytestmark = pytest.mark.django_db
BOMB = {"run.json": "0" * 2_000_001}


def archived(data, name="scores.zip"):
    return StudyFiles(results=[(name, io.BytesIO(data))])


def said(files):
    """The faults of an upload; nothing is stored then."""
    with pytest.raises(InputError) as caught:
        import_study(name="Films", files=files, now=NOW)
    assert not Study.objects.exists()
    return [str(fault) for fault in caught.value.faults]


def test_a_study_is_kept_as_it_was_uploaded_and_logged(researcher):
    study = import_study(
        name="  Films  again ", files=archived(study_archive()), now=NOW, by=researcher
    ).study
    study.refresh_from_db()
    assert (study.name, study.users, study.summaries, study.created_by) == ("Films again", 6, 12, researcher)
    with zipfile.ZipFile(io.BytesIO(bytes(study.content))) as archive:
        kept = {name: archive.read(name).decode() for name in archive.namelist()}
    assert kept == dict(study_texts())
    assert sorted(kept) == study.names
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor, entry.detail) == (
        "study uploaded",
        researcher,
        {"hash": study.content_hash, "files": "scores.zip"},
    )


def test_the_same_files_are_one_study_whatever_they_come_in():
    first = import_study(name="A", files=archived(study_archive()), now=NOW)
    again = import_study(name="B", files=chosen_files(), now=NOW)
    with_labels = import_study(name="C", files=chosen_files(labels=study_labels()), now=NOW)
    assert (first.created, again.created, with_labels.created) == (True, False, True)
    assert again.study == first.study
    assert list(Study.objects.order_by("pk").values_list("name", flat=True)) == ["A", "C"]


def test_a_name_is_needed():
    for name in ("  ", "x" * 121):
        with pytest.raises(ValidationError):
            import_study(name=name, files=chosen_files(), now=NOW)


def test_files_that_are_no_results_are_refused_by_name(settings):
    texts = dict(study_texts())
    assert said(chosen_files({"run.json": texts["run.json"]})) == [
        "the results: lack scores.json, quality.jsonl; upload the whole folder that `users score` wrote"
    ]
    no_file = "is no file of `users score`, which are run.json, scores.json, quality.jsonl, predictions.jsonl"
    assert said(chosen_files({"tasks.jsonl": "{}"})) == [f"tasks.jsonl: {no_file}"]
    assert said(archived(study_archive({**texts, "../x.sh": ""}))) == [
        f"scores.zip/scores/../x.sh: {no_file}"
    ]
    twice = study_archive({**texts, "copy/run.json": texts["run.json"]})
    assert said(archived(twice)) == [
        "scores.zip/scores/copy/run.json: stands there twice; give each file a name of its own"
    ]
    assert said(archived(b"PK no"))[0].startswith("scores.zip: cannot be read as a ZIP archive")
    settings.CONCORD_UPLOAD_LIMIT_MB = 1
    assert said(archived(study_archive(BOMB))) == ["scores.zip: not read: it unpacks to more than 2 MB"]


def test_faults_of_labels_and_trails_are_named_without_where_they_lay():
    assert said(chosen_files(labels=b"user,approach,rater,label\nAda,plain,r1,fine\n")) == [
        "labels.csv:2: the label is 'fine', not good or bad"
    ]
    assert said(chosen_files(trails=[b"{}\n"])) == [
        "trail.jsonl:1: is no trail, as `users summarise` writes it"
    ]
    assert said(chosen_files(trails=[b""])) == ["trail.jsonl: holds no trail"]
    mine = ("mine.csv", io.BytesIO(b"user,approach,rater,label\n"))
    assert said(replace(chosen_files(), labels=mine)) == ["input: mine.csv holds no label"]


def test_a_trail_that_no_page_can_draw_or_keep_is_refused():
    whole = json.loads(TRAIL)
    for name in ("user", "approach"):
        part = {key: value for key, value in whole.items() if key != name}
        assert said(chosen_files(trails=[json.dumps(part).encode()])) == [
            "trail.jsonl:1: is no trail, as `users summarise` writes it"
        ]
    for value, problem in (
        (float("nan"), "nan, which is no finite number"),
        ("\0", "a NUL character"),
        ("\ud800", "half a surrogate pair, which is no character"),
    ):
        trail = json.dumps({**whole, "more": [value]}).encode()
        assert said(chosen_files(trails=[trail])) == [f"trail.jsonl:1: holds {problem}"]


def test_results_that_no_report_can_show_are_not_stored(monkeypatch):
    def fail(_page, _findings):
        raise KeyError("approach")

    monkeypatch.setattr("survey_site.studies.page.lay_out", fail)
    assert said(chosen_files()) == [
        "the results: give no report (KeyError: 'approach'); write them with `users score` again"
    ]


def test_what_no_report_shows_is_not_kept_with_the_findings():
    run = {**json.loads(study_texts()["run.json"]), "more": "words"}
    files = chosen_files({**study_texts(), "run.json": json.dumps(run)})
    study = import_study(name="A", files=files, now=NOW).study
    assert set(study.findings["run"]) == {
        "predictor", "at_least", "limit", "model", "prompt", "prompt_version", "prompt_digest",
        "questions", "answered", "left_out", "tasks_by_kind", "signature_line",
    }  # fmt: skip


def test_large_files_are_refused_before_they_are_read(settings):
    texts = {**study_texts(), "run.json": "{" + " " * 1_000_000 + "}"}
    assert said(archived(study_archive(texts))) == [
        "run.json: is larger than 1 MB, which no run of `users score` writes"
    ]
    settings.CONCORD_UPLOAD_LIMIT_MB = 1
    half = [study_archive({name: "0" * 1_500_000}) for name in ("run.json", "scores.json")]
    both = [(f"{at}.zip", io.BytesIO(data)) for at, data in enumerate(half)]
    assert said(StudyFiles(results=both)) == ["1.zip: not read: it unpacks to more than 2 MB"]


def test_an_archive_that_is_broken_within_is_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("run.json", "words " * 1000)
    data = bytearray(stream.getvalue())
    data[data.index(b"run.json") + 20 : data.index(b"run.json") + 40] = b"\xff" * 20
    assert said(archived(bytes(data)))[0].startswith("scores.zip: cannot be read as a ZIP archive")
    packed = study_archive({"rün.json": ""}, folder="")
    assert said(archived(packed.replace("rün".encode(), b"r\xff\xffn")))[0].startswith(
        "scores.zip: cannot be read as a ZIP archive"
    )


def test_lists_of_the_admin_site_leave_what_is_large(rf):
    query = str(StudyAdmin(Study, site).get_queryset(rf.get("/")).query)
    assert [name for name in ("content", "findings") if f'"{name}"' in query] == []


def test_a_report_that_stands_in_the_folder_is_left_out():
    packed = study_archive({**study_texts(), "report.html": "<p>old</p>", "__MACOSX/run.json": "{}"})
    study = import_study(name="A", files=archived(packed), now=NOW).study
    assert study.names == sorted(study_texts())


def test_a_deleted_study_leaves_its_hash_in_the_log(admin):
    study = make_study(by=admin)
    delete_thing(thing=study, typed="Films", seen=fingerprint(study), now=NOW, by=admin)
    assert not Study.objects.exists()
    entry = AuditEntry.objects.get(action="study deleted")
    assert entry.detail == {"files": study.content_hash}


def test_the_command_does_what_the_page_does(tmp_path, capsys):
    for name, text in study_texts().items():
        (tmp_path / name).write_text(text)
    (tmp_path / "labels.csv").write_bytes(study_labels())
    files = [tmp_path / name for name in study_texts()]
    call_command("import_study", "Films", *files, labels=tmp_path / "labels.csv")
    call_command("import_study", "Films", *files, labels=tmp_path / "labels.csv")
    study = Study.objects.get()
    assert study.names == sorted([*study_texts(), "labels.csv"])
    assert capsys.readouterr().out.splitlines() == [
        f"Stored 'Films': 6 users, 12 summaries; its page is /studies/{study.pk}/",
        "Already there as 'Films': the same files, nothing changed.",
    ]
    with pytest.raises(CommandError, match="Nothing was stored: 1 fault"):
        call_command("import_study", "Films", files[0])
