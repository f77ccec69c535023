"""Exports of Label Studio and Potato, in the shapes that the tools write, as ratings."""

import json
from io import BytesIO

import pytest

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.errors import InputError
from meta_eval.ratings import read_ratings
from meta_eval.ratings.exports import Taking, read_label_studio, read_potato

PAIR = {"doc_id": "d", "system": "A", "reader_a": "ann", "reader_b": "bob"}
ROW = {**PAIR, "rater": "p", "rating": "4"}


def control(value, *, name="alike", kind="rating"):
    return {
        **{"id": "Dx_aB91ISN", "from_name": name, "to_name": "text_a", "type": kind, "origin": "manual"},
        "value": {kind: value},
    }


def task(*annotations, number=1, data=PAIR, **more):
    made = [{"id": 10 * number + at, "was_cancelled": False, **one} for at, one in enumerate(annotations, 1)]
    return {"id": number, "data": {**data, "text_a": "Rain."}, "annotations": made, "predictions": [], **more}


@pytest.fixture
def label_studio(tmp_path):
    def read(tasks, **taking):
        path = tmp_path / "export.json"
        path.write_text(json.dumps(tasks), encoding="utf-8")
        return read_label_studio(path, Taking(**taking))

    return read


def faults_of(caught):
    return [fault.message for fault in caught.value.faults]


def test_every_kind_of_answer_becomes_a_rating(label_studio):
    tasks = [
        task({"completed_by": 3, "result": [control(5)]}),
        task(
            {
                "completed_by": {"id": 4, "email": "ada@example.org"},
                "result": [control(["2"], kind="choices")],
            },
            number=2,
        ),
        task({"completed_by": 5, "result": [control(3.0, kind="number")]}, number=3, data={}, meta=PAIR),
    ]
    found = label_studio(tasks)
    assert [(row["rater"], row["rating"]) for row in found.rows] == [("3", "5"), ("4", "2"), ("5", "3")]
    assert [{name: row[name] for name in PAIR} for row in found.rows] == [PAIR] * 3
    assert (found.question, "ada" in found.csv()) == ("alike", False)


def test_skipped_tasks_predictions_and_other_questions_are_no_ratings(label_studio):
    other = control(["yes"], name="clear", kind="choices")
    tasks = [
        task(
            {"completed_by": 3, "result": [control(5), other]},
            {"completed_by": 4, "result": [control(1)], "was_cancelled": True},
            {"completed_by": 5, "result": [other]},
            predictions=[{"result": [control(6)]}],
        )
    ]
    found = label_studio(tasks, question="alike")
    assert [row["rating"] for row in found.rows] == ["5"]
    assert found.passed_over == {"skipped by the annotator": 1, "without an answer to 'alike'": 1}
    with pytest.raises(InputError, match=r"several questions \(alike, clear\): name the one that counts"):
        label_studio(tasks)
    with pytest.raises(InputError, match="no answer to 'same'; there is alike, clear"):
        label_studio(tasks, question="same")


def test_faults_of_label_studio_name_task_and_annotation(label_studio):
    tasks = [
        task({"completed_by": 3, "result": [control(["so-so"], kind="choices")]}, number=7),
        task({"completed_by": 3, "result": [control(["1", "2"], kind="choices")]}, number=8),
        task({"result": [control(["1"], kind="choices")]}, number=9, data={"doc_id": "d", "system": "A"}),
    ]
    with pytest.raises(InputError) as caught:
        label_studio(tasks)
    assert faults_of(caught) == [
        "annotation 71 of task 7: answer 'so-so' is no whole number: say which number it stands for",
        "annotation 81 of task 8: 2 answers to 'alike'",
        "annotation 91 of task 9: the task has no field 'reader_a'",
        "annotation 91 of task 9: the task has no field 'reader_b'",
        "annotation 91 of task 9: `completed_by` does not say who answered",
    ]


def test_an_answer_in_words_is_told_once_however_many_gave_it(label_studio, potato):
    words = control(["so-so"], kind="choices")
    tasks = [task({"completed_by": 3, "result": [words]}, number=number) for number in range(1, 9)]
    with pytest.raises(InputError) as caught:
        label_studio(tasks)
    told = "answer 'so-so' is no whole number: say which number it stands for (and in"
    others = ", ".join(f"annotation {number}1 of task {number}" for number in range(2, 6))
    assert faults_of(caught) == [f"annotation 11 of task 1: {told} 7 more places: {others}, ...)"]
    lines = [{**NEW, "user_id": f"p{number}", "labels": {"alike": {"so-so": True}}} for number in range(5)]
    with pytest.raises(InputError) as caught:
        potato({"annotations.jsonl": "\n".join(map(json.dumps, lines))}, at="annotations.jsonl")
    others = ", ".join(f"rater 'p{number}'" for number in range(1, 5))
    assert faults_of(caught) == [f"item 'i1' of rater 'p0': {told} 4 more places: {others})"]


def test_fields_and_words_are_named(label_studio):
    data = {"document": "d", "model": "A", "reader_a": "ann", "reader_b": "bob"}
    made = task({"completed_by": "p", "result": [control(["so-so"], kind="choices")]}, data=data)
    fields = {"doc_id": "document", "system": "model"}
    assert label_studio([made], fields=fields, numbers={"so-so": "4"}).rows == [ROW]
    with pytest.raises(InputError, match="there is no column rater to take"):
        Taking(fields={"rater": "who"})


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ([{**PAIR, "alike": 5, "annotator": 3}], "export as JSON, not as JSON-MIN"),
        (["text"], "wanted is a list of tasks"),
        ([task()], "holds no answer on a scale"),
    ],
)
def test_what_is_no_export_is_told(label_studio, held, told):
    with pytest.raises(InputError, match=told):
        label_studio(held)


STATE = {
    "user_id": "p",
    "instance_id_ordering": ["i1", "i2"],
    "instance_id_to_label_to_value": {
        "i1": [[{"schema": "alike", "name": "scale_4"}, "4"], [{"schema": "note", "name": "text_box"}, "ok"]]
    },
    "instance_id_to_span_to_value": {"i1": []},
    "phase_to_page_to_label_to_value": {"consent": {"page": [[{"schema": "consent", "name": "yes"}, "yes"]]}},
}
OLD = {
    **{"id": "i1", "displayed_text": "Rain.", "label_annotations": {"alike": {"scale_4": "4"}}},
    **{"span_annotations": {}, "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 2s "}},
}
CONSENT = {**OLD, "id": "consent.html", "label_annotations": {"I agree": {"Yes": "true"}}}
NEW = {"instance_id": "i1", "user_id": "p", "labels": {"alike": {"scale_4": "4"}}, "spans": {}, "links": {}}
FORMS = {
    "p/user_state.json": json.dumps(STATE),
    "p/annotated_instances.jsonl": f"{json.dumps(OLD)}\n{json.dumps(CONSENT)}\n",
    "annotations.jsonl": json.dumps(NEW),
    "annotations.csv": "instance_id,user_id,alike.scale_3,alike.scale_4\ni1,p,,4\n",
    "annotated_instances.tsv": "user\tinstance_id\tdisplayed_text\talike:::scale_4\np\ti1\tRain.\t4\n",
}


@pytest.fixture
def potato(tmp_path):
    """Write files of Potato's and read them; `at` is what is given as its output."""
    (tmp_path / "out").mkdir()

    def read(files, *, at="", items=None, id_key="id", **taking):
        for name, text in files.items():
            (tmp_path / "out" / name).parent.mkdir(exist_ok=True)
            (tmp_path / "out" / name).write_text(text, encoding="utf-8")
        known = tmp_path / "items.jsonl"
        held = items or [{"id": "i1", "text": "Rain.", **PAIR}, {"id": "i2", "text": "Sun.", **PAIR}]
        known.write_text("".join(f"{json.dumps(one)}\n" for one in held), encoding="utf-8")
        return read_potato(tmp_path / "out" / at, known, Taking(**taking), id_key=id_key)

    return read


@pytest.mark.parametrize("name", FORMS)
def test_each_file_of_potato_gives_the_same_rating(potato, name):
    taking = {"question": "alike"} if "state" in name else {}
    assert potato({name: FORMS[name]}, at=name, **taking).rows == [ROW]


def test_a_folder_has_a_folder_for_each_person(potato):
    later = {**STATE, "user_id": "q"}
    files = {
        "annotated_instances.jsonl": "of all, by nobody",
        "old/annotated_instances.jsonl": FORMS["p/annotated_instances.jsonl"],
        "q/annotated_instances.jsonl": "left by version 1",
        "q/user_state.json": json.dumps(later),
    }
    found = potato(files, question="alike")
    assert [(row["rater"], row["rating"]) for row in found.rows] == [("old", "4"), ("q", "4")]
    assert found.passed_over == {"of pages or items that items.jsonl does not hold": 1}


@pytest.mark.parametrize("value", ["true", True, "so-so", "on", "2", 2])
def test_a_choice_in_words_needs_its_number(potato, value):
    labels = {"alike": {"so-so": value, "very": False}}
    files = {"annotations.jsonl": json.dumps({**NEW, "labels": labels})}
    assert potato(files, at="annotations.jsonl", numbers={"so-so": "4"}).rows == [ROW]
    with pytest.raises(InputError, match="item 'i1' of rater 'p': answer 'so-so' is no whole number"):
        potato(files, at="annotations.jsonl")


@pytest.mark.parametrize("label", ["number", "slider", "text_box", "select-one", ""])
def test_a_field_or_slider_holds_its_number(potato, label):
    files = {"annotations.jsonl": json.dumps({**NEW, "labels": {"alike": {label: "4"}}})}
    assert potato(files, at="annotations.jsonl").rows == [ROW]


def test_an_answer_from_a_list_is_named_by_its_words(potato):
    files = {"annotations.jsonl": json.dumps({**NEW, "labels": {"alike": {"select-one": "so-so"}}})}
    assert potato(files, at="annotations.jsonl", numbers={"so-so": "4"}).rows == [ROW]
    with pytest.raises(InputError, match="answer 'so-so' is no whole number"):
        potato(files, at="annotations.jsonl")


def test_a_bad_text_is_no_rating(potato):
    """Potato writes 0 for it, which would be a rating of some scales."""
    files = {"annotations.jsonl": json.dumps({**NEW, "labels": {"alike": {"bad_text": "0"}}})}
    found = potato(files, at="annotations.jsonl")
    assert (found.rows, found.passed_over) == ([], {"marked as bad text": 1})


def test_no_address_of_an_annotator_is_taken(label_studio, potato):
    given = ["ada@example.org", 3, "Bob <bob@example.org>", "ada@example.org", "rater-1"]
    gold = PAIR | {"system": "user"}
    tasks = [
        task({"completed_by": who, "result": [control(5)]}, number=at, data=gold)
        for at, who in enumerate(given)
    ]
    found = label_studio(tasks)
    assert [row["rater"] for row in found.rows] == ["rater-2", "3", "rater-3", "rater-2", "rater-1"]
    assert found.renamed == 2
    of_potato = potato({"ada@example.org/annotated_instances.jsonl": json.dumps(OLD)})
    assert (of_potato.rows, of_potato.renamed) == ([{**ROW, "rater": "rater-1"}], 1)


def test_half_a_point_is_no_rating(label_studio):
    with pytest.raises(InputError, match=r"answer 4\.5 is no whole number: say which number it stands for"):
        label_studio([task({"completed_by": 3, "result": [control(4.5, kind="number")]})])
    with pytest.raises(InputError, match="answer 'so-so' cannot stand for 'four': wanted is a whole number"):
        Taking(numbers={"so-so": "four"})


def test_faults_of_potato_name_their_line(potato):
    lines = [
        {**NEW, "user_id": ""},
        {**NEW, "instance_id": ""},
    ]
    text = "".join(f"{json.dumps(one)}\n" for one in lines)
    with pytest.raises(InputError) as caught:
        potato({"annotations.jsonl": text}, at="annotations.jsonl")
    assert [(fault.line, fault.message) for fault in caught.value.faults] == [
        (1, "does not say who answered"),
        (2, "does not say of which item it is"),
    ]
    twice = {**NEW, "labels": {"alike": {"scale_4": "4", "scale_5": "5"}}}
    lacking = [{"id": "i1", "doc_id": "d", "system": "A", "reader_a": "ann"}]
    with pytest.raises(InputError) as caught:
        potato({"annotations.jsonl": json.dumps(twice)}, at="annotations.jsonl", items=lacking)
    assert faults_of(caught) == [
        "item 'i1' of rater 'p': the item has no field 'reader_b'",
        "item 'i1' of rater 'p': 2 answers to 'alike'",
    ]


@pytest.mark.parametrize(
    ("items", "told"),
    [([{"key": "i1", **PAIR}], "has no field 'id'"), ([{"id": "i1", **PAIR}] * 2, "'i1' stands here twice")],
)
def test_faults_of_items_are_told(potato, items, told):
    with pytest.raises(InputError, match=told):
        potato({"annotations.jsonl": FORMS["annotations.jsonl"]}, at="annotations.jsonl", items=items)


def test_what_is_no_output_of_potato_is_told(potato):
    with pytest.raises(InputError, match="holds no folder with user_state"):
        potato({})
    with pytest.raises(InputError, match="it has no `instance_id_to_label_to_value`"):
        potato({"p/user_state.json": "{}"})


def test_the_table_is_what_the_library_reads(label_studio):
    corpus = Corpus((Document("d", "", "", {"ann": "x", "bob": "y"}, {"A": {"ann": "x", "bob": "y"}}),))
    table = label_studio([task({"completed_by": 3, "result": [control(5)]})]).csv()
    (rating,) = read_ratings(BytesIO(table.encode()), corpus).ratings
    assert (rating.system, rating.rater, rating.rating) == ("A", "3", 5)
