"""Exports of Label Studio and Potato, uploaded by page and by program."""

import csv
import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from meta_eval.errors import InputError
from meta_eval.ratings.exports import Taking
from survey_site.batches.models import Batch
from survey_site.corpus.queries import load_corpus
from survey_site.survey.exports import rating_lines
from survey_site.uploads.models import Upload
from survey_site.uploads.tools import Export, Tool, read_export
from tests.factories.api import make_program
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus
from tests.survey_site.uploads.examples import plain_rows, upload, write_rows
from tests.survey_site.uploads.test_pages import NEW, text_of

pytestmark = pytest.mark.django_db
FIELDS = ("doc_id", "system", "reader_a", "reader_b")
JSON = "application/json; charset=utf-8"
WORDS = {1: "Not at all", 6: "Very similar"}
NUMBERS = [f"{word}={number}" for number, word in WORDS.items()]


def label_studio():
    """The ratings of `plain_rows` as Label Studio exports them: answers in words where there are some, the
    document under another name, a skipped one, and a rater known by an e-mail address.
    """
    tasks = []
    for at, row in enumerate(plain_rows(["ada@example.org", "bob"]), 1):
        data = {**{name: row[name] for name in FIELDS}, "document": row["doc_id"], "text_a": "..."}
        del data["doc_id"]
        said = [WORDS.get(row["rating"], str(row["rating"]))]
        answer = {"from_name": "alike", "to_name": "a", "type": "choices", "value": {"choices": said}}
        made = {"id": at, "completed_by": row["rater"], "result": [answer]}
        skipped = {**made, "id": 1000 + at, "was_cancelled": True}
        tasks.append({"id": at, "data": data, "annotations": [made, skipped] if at == 1 else [made]})
    return json.dumps(tasks).encode()


def potato(items="items.jsonl"):
    """The same in the folder that Potato writes, as a ZIP archive, and its file of items."""
    known, answers = {}, {}
    for row in plain_rows():
        item = {name: row[name] for name in FIELDS}
        number = known.setdefault(json.dumps(item), f"p{len(known)}")
        given = [[{"schema": "alike", "name": f"scale_{row['rating']}"}, str(row["rating"])]]
        answers.setdefault(row["rater"], {})[number] = given
    lines = "".join(json.dumps({**json.loads(one), "id": number}) + "\n" for one, number in known.items())
    files = {
        f"annotation_output/{rater}/user_state.json": json.dumps(
            {"user_id": rater, "instance_id_to_label_to_value": given}
        )
        for rater, given in answers.items()
    }
    return archive({**files, items: lines, "annotation_output/config.yaml": "x"}), lines.encode()


def archive(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name, text in files.items():
            made.writestr(name, text)
    return stream.getvalue()


def send(client, corpus, content, name, **said):
    files = {"file": SimpleUploadedFile(name, content)}
    files |= {key: SimpleUploadedFile("items.jsonl", said.pop(key)) for key in ("items",) if key in said}
    data = {"corpus": corpus.pk, "scale": "similarity", **said, **files}
    return client.post(NEW, data, follow=True)


def post(program, path, content, kind):
    return program.ask("POST", path, content, kind=kind)


def ratings_of(batch):
    """What is kept of each rating but who rated."""
    rows = csv.DictReader(io.StringIO("".join(rating_lines(batch))))
    return sorted((row["doc_id"], row["system"], row["rating"]) for row in rows)


def as_a_table(corpus, tmp_path):
    made = upload(write_rows(tmp_path / "table.csv", plain_rows()), corpus)
    return ratings_of(made.batch)


def test_an_export_of_label_studio_becomes_the_batch_that_its_table_gives(admin_client, tmp_path):
    corpus = make_scored_corpus()
    said = {"tool": "label-studio", "fields_of_items": "doc_id = document\n\n", "numbers": "\n".join(NUMBERS)}
    page = send(admin_client, corpus, label_studio(), "export.json", **said)
    batch = Batch.objects.get()
    assert page.redirect_chain == [(batch.get_absolute_url(), 302)]
    assert ratings_of(batch) == as_a_table(corpus, tmp_path)
    assert sorted(batch.people.values_list("code", flat=True)) == ["bob", "rater-1"]
    assert [note for note in batch.plan_notes if "export.json" not in note] == [
        "Taken from the output of Label Studio: answers to 'alike', doc_id from 'document', system from "
        "'system', reader_a from 'reader_a', reader_b from 'reader_b'",
        "25 answers: 24 ratings by 2 raters taken, 1 left out",
        "1 of its raters named by number: addresses and ids of panels are not taken",
        "1 passed over: skipped by the annotator",
    ]


def test_a_folder_of_potato_becomes_one_too(admin_client, tmp_path):
    corpus, (content, items) = make_scored_corpus(), potato()
    send(admin_client, corpus, content, "annotation_output.zip", tool="potato", items=items)
    batch = Batch.objects.get()
    assert ratings_of(batch) == as_a_table(corpus, tmp_path)
    assert sorted(batch.people.values_list("code", flat=True)) == ["ann", "bob"]


def test_the_same_export_is_one_batch_unless_something_else_is_said_of_it(admin_client):
    corpus = make_scored_corpus()
    said = {"tool": "label-studio", "fields_of_items": "doc_id=document", "numbers": "\n".join(NUMBERS)}
    for _ in range(2):
        page = send(admin_client, corpus, label_studio(), "export.json", **said)
    assert "This file was already here" in text_of(page)
    other = "\n".join(["Not at all=2", NUMBERS[1]])
    send(admin_client, corpus, label_studio(), "export.json", **{**said, "numbers": other})
    assert [Batch.objects.count(), Upload.objects.values("content_hash").distinct().count()] == [2, 1]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"tool": "label-studio"}, "annotation 1 of task 1: the task has no field 'doc_id'"),
        ({"tool": "label-studio", "fields_of_items": "doc_id=document"}, "say which number it stands for"),
        ({"tool": "label-studio", "fields_of_items": "document"}, "“document” is not of the form"),
        ({"tool": "label-studio", "fields_of_items": "doc=document"}, "there is no column doc to take"),
        ({"tool": "label-studio", "numbers": "Very similar=high"}, "cannot stand for 'high'"),
        ({"tool": "label-studio", "asked": "same"}, "holds no answer to 'same'; there is alike"),
        ({"tool": "potato"}, "Choose it too: Potato’s output does not hold the fields of items."),
        ({"tool": "other"}, "other is not one of the available choices"),
        ({}, "Say which tool wrote it: a table is a CSV, Parquet, Excel or OpenDocument file."),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_stored(admin_client, said, told):
    page = send(admin_client, make_scored_corpus(), label_studio(), "export.json", **said)
    assert (page.status_code, Batch.objects.count()) == (422, 0)
    assert told in text_of(page)
    assert "<details open>" in page.content.decode()


def test_a_text_that_the_corpus_lacks_is_told_by_its_row(admin_client):
    content = label_studio().replace(b'"doc3"', b'"doc9"')
    said = {"tool": "label-studio", "fields_of_items": "doc_id=document", "numbers": "\n".join(NUMBERS)}
    text = text_of(send(admin_client, make_scored_corpus(), content, "export.json", **said))
    assert "export.json, as a table" in text
    assert "doc9" in text


def test_faults_name_files_as_they_were_chosen():
    corpus = load_corpus(make_scored_corpus())
    content, lines = potato()
    bare = archive({"annotation_output/ann/user_state.json": "{", "items.jsonl": lines.decode()})
    told = []
    for tool, items, sent, given in (
        (Tool.LABEL_STUDIO, "", ("mine.json", b"[5]"), None),
        (Tool.POTATO, "", ("mine.zip", content), None),
        (Tool.POTATO, "other.jsonl", ("mine.zip", content), None),
        (Tool.POTATO, "items.jsonl", ("mine.zip", bare), None),
        (Tool.POTATO, "", ("mine.zip", content), ("about.jsonl", b"5")),
    ):
        with pytest.raises(InputError) as caught:
            read_export(
                Export(tool=tool, taking=Taking(), items=items),
                (sent[0], io.BytesIO(sent[1])),
                corpus,
                items=(given[0], io.BytesIO(given[1])) if given else None,
                now=NOW,
            )
        told += [fault.file for fault in caught.value.faults]
    assert told == [
        "mine.json",
        "mine.zip",
        "mine.zip",
        "annotation_output/ann/user_state.json",
        "about.jsonl",
    ]


def test_an_archive_gives_what_it_should_and_nothing_outside_its_folder(tmp_path):
    corpus = load_corpus(make_scored_corpus())
    export = Export(tool=Tool.POTATO, taking=Taking(), items="given/items.jsonl")
    _, lines = potato()
    bad = archive({"a/../../user_state.json": "{}", "given/items.jsonl": lines.decode()})
    with pytest.raises(InputError, match="holds no folder"):
        read_export(export, ("bad.zip", io.BytesIO(bad)), corpus, now=NOW)
    with pytest.raises(InputError, match="send its file of items too"):
        read_export(Export(tool=Tool.POTATO, taking=Taking()), ("x.zip", io.BytesIO(bad)), corpus, now=NOW)


def test_which_file_of_an_archive_holds_the_items_tells_uploads_apart():
    corpus = load_corpus(make_scored_corpus())
    content, lines = potato("old.jsonl")
    with zipfile.ZipFile(stream := io.BytesIO(content), "a") as made:
        made.writestr("new.jsonl", lines)
    said = [
        read_export(
            Export(tool=Tool.POTATO, taking=Taking(), items=items),
            ("annotation_output.zip", io.BytesIO(stream.getvalue())),
            corpus,
            now=NOW,
        ).said
        for items in ("old.jsonl", "new.jsonl", "old.jsonl")
    ]
    assert (said[0] == said[2], said[0] == said[1]) == (True, False)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'[{"id": 1, "annotations": 5}]', "task 1: `annotations` is no list"),
        (
            label_studio().replace(b'"Very similar"', b'"' + b"9" * 400 + b'"'),
            "say which number it stands for",
        ),
    ],
)
def test_what_no_tool_writes_is_told_too(admin_client, content, told):
    said = {"tool": "label-studio", "fields_of_items": "doc_id=document", "numbers": NUMBERS[0]}
    page = send(admin_client, make_scored_corpus(), content, "export.json", **said)
    assert (page.status_code, told in text_of(page)) == (422, True)


def test_a_number_of_thousands_of_digits_is_no_number_of_an_answer(admin_client):
    said = {"tool": "label-studio", "numbers": f"Very similar={'9' * 5000}"}
    page = send(admin_client, make_scored_corpus(), label_studio(), "export.json", **said)
    assert (page.status_code, "cannot stand for" in text_of(page)) == (422, True)


def test_a_program_sends_exports_too(tmp_path):
    corpus, program = make_scored_corpus(), make_program("admin")
    about = f"corpus={corpus.pk}&scale=similarity"
    numbers = "&".join(f"number={one}" for one in NUMBERS)
    studio = f"uploads/?{about}&tool=label-studio&field=doc_id=document&{numbers}&file=export.json"
    made = post(program, studio, label_studio(), JSON)
    content, _ = potato("in/items.jsonl")
    other = post(program, f"uploads/?{about}&tool=potato&items=in/items.jsonl", content, "application/zip")
    assert [made.status_code, other.status_code] == [201, 201]
    table = as_a_table(corpus, tmp_path)
    assert [ratings_of(Batch.objects.get(pk=one.json()["batch"])) for one in (made, other)] == [table, table]
    again = post(program, studio, label_studio(), JSON)
    assert (again.status_code, again.json()) == (200, made.json())
    wrong = post(program, f"uploads/?{about}&tool=label-studio&field=document", b"[]", JSON)
    assert (wrong.status_code, "not of the form" in wrong.content.decode()) == (422, True)
    without = post(program, f"uploads/?{about}&tool=potato", content, "application/zip")
    assert (without.status_code, "says with `items`" in without.content.decode()) == (422, True)
    lost = post(program, f"uploads/?{about}&tool=potato&items=items.jsonl", content, "application/zip")
    assert (lost.status_code, "holds no file 'items.jsonl'" in lost.content.decode()) == (422, True)


def test_ratings_that_a_program_fetched_as_parquet_are_uploaded_as_they_are(tmp_path):
    corpus, program = make_scored_corpus(), make_program("admin")
    first = upload(write_rows(tmp_path / "table.csv", plain_rows()), corpus).batch
    fetched = program.get(f"batches/{first.pk}/ratings/", Accept="application/vnd.apache.parquet")
    content = b"".join(fetched.streaming_content)
    kind, about = "application/vnd.apache.parquet", f"corpus={corpus.pk}&scale=similarity&name=Again"
    made = post(program, f"uploads/?{about}", content, kind)
    assert made.status_code == 201, made.content
    assert ratings_of(Batch.objects.get(pk=made.json()["batch"])) == ratings_of(first)
    broken = post(program, f"uploads/?{about}", content[:-3], kind)
    assert (broken.status_code, "cannot be read as a Parquet file" in broken.content.decode()) == (422, True)
