"""Who answered, as annotation tools export it: machines, one person twice, archives, ids of panels."""

import json
import unicodedata
from pathlib import Path

import pytest

from meta_eval.errors import InputError
from meta_eval.ratings.exports import read_label_studio, read_potato

PAIR = {"doc_id": "d", "reader_a": "ann", "reader_b": "bob"}
ITEMS = [{"id": "p", "system": "A", **PAIR}, {"id": "g", "system": "user", **PAIR}]
PROLIFIC, TURK = "5f1a2b3c4d5e6f7a8b9c0d1e", "A1B2C3D4E5F6G7"


def state(who, answers=(("p", 5), ("g", 2)), **more):
    labels = {item: [[{"schema": "alike", "name": f"scale_{value}"}, value]] for item, value in answers}
    return {"user_id": who, "instance_id_to_label_to_value": labels, **more}


@pytest.fixture
def potato(tmp_path):
    """Read what Potato wrote: states by folder, or the text of a file."""

    def read(files, at=""):
        for name, held in files.items():
            path = tmp_path / "out" / (name if "." in name else f"{name}/user_state.json")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(held if isinstance(held, str) else json.dumps(held), encoding="utf-8")
        items = tmp_path / "items.json"
        items.write_text(json.dumps(ITEMS), encoding="utf-8")
        return read_potato(tmp_path / "out" / at, items)

    return read


def raters(found):
    return list(dict.fromkeys(row["rater"] for row in found.rows))


@pytest.mark.parametrize(
    ("origin", "is_taken"),
    [
        ({"kind": "human"}, True),
        ({}, True),
        ({"kind": "llm", "id": "gpt"}, False),
        ({"kind": "Tool"}, False),
        ({"model": "gpt"}, False),
        ("llm", False),
    ],
)
def test_what_potato_declares_to_be_a_machine_is_left_out_and_counted(potato, origin, is_taken):
    found = potato({"ada": state("ada"), "gpt": state("gpt", origin=origin)})
    assert raters(found) == (["ada", "gpt"] if is_taken else ["ada"])
    assert found.passed_over.total() == (0 if is_taken else 2)
    assert found.taken.startswith("4 answers: ")


def test_a_machine_is_known_in_potatos_tables_too(potato):
    head = "instance_id,user_id,alike.scale_4,annotator_origin\n"
    found = potato({"annotations.csv": f"{head}p,ada,4,human\np,gpt,4,llm\n"}, at="annotations.csv")
    assert raters(found) == ["ada"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("aaa&s1&x1", "aaa&s1&x2"),
        ("PROLIFIC_PID=aaa&STUDY_ID=s1", "STUDY_ID=s2&PROLIFIC_PID=aaa"),
        ("José", unicodedata.normalize("NFD", "José")),
        ("ada", "ada\u200b"),
    ],
)
def test_one_person_in_two_folders_is_one_rater(potato, first, second):
    def written(answers):
        return "".join(
            f"{json.dumps({'id': item, 'label_annotations': {'alike': {f'scale_{value}': value}}})}\n"
            for item, value in answers
        )

    def both(later):
        names = (f"{folder}/annotated_instances.jsonl" for folder in (first, second))
        return potato(dict(zip(names, (written([("p", 5)]), written(later)), strict=True)))

    assert len(raters(both([("g", 2)]))) == 1
    with pytest.raises(InputError, match="rated it before"):
        both([("p", 2)])


@pytest.mark.parametrize("archived", ["ada", "bob"])
def test_an_archive_beside_the_answers_is_refused(potato, archived):
    with pytest.raises(InputError, match="archived_previous_data"):
        potato({"ada": state("ada"), f"archived_previous_data/{archived}": state(archived)})


@pytest.mark.parametrize("person", [PROLIFIC, TURK, f"{PROLIFIC}&s1&x1", "ada@example.org"])
def test_ids_of_panels_become_numbers(potato, person):
    found = potato({"one": state(person), "two": state("ada")})
    assert (raters(found), found.renamed) == (["rater-1", "ada"], 1)


def task(number, system, answers, **data):
    made = [
        {
            **{"id": annotation, "completed_by": who},
            "result": [{"from_name": "alike", "type": "rating", "value": {"rating": value}}],
        }
        for annotation, who, value in answers
    ]
    return {"id": number, "data": {**PAIR, "system": system, **data}, "annotations": made}


@pytest.fixture
def studio(tmp_path):
    def read(*tasks):
        path: Path = tmp_path / "export.json"
        path.write_text(json.dumps(tasks), encoding="utf-8")
        return read_label_studio(path)

    return read


def test_a_task_that_label_studio_exports_twice_counts_once(studio):
    gold = task(2, "user", [(21, 1, 2), (22, 2, 3)])
    found = studio(task(1, "A", [(11, 1, 5)]), gold, gold)
    assert len(found.rows) == 3
    assert found.taken == "5 answers: 3 ratings by 2 raters taken, 2 left out"


@pytest.mark.parametrize(
    "tasks",
    [
        [task(2, "user", [(21, 1, 2), (22, 1, 4)])],
        [task(2, "user", [(21, 1, 2)]), task(2, "user", [(21, 1, 4)])],
        [task(2, "user", [(21, 1, 2)]), task(2, "user", [(31, 1, 2)])],
        [task(1, "A", [(11, 1, 2)]), task(2, "A", [(21, 1, 2)], reader_a="bob", reader_b="ann")],
    ],
    ids=["copy of an annotation", "annotation changed", "task again", "pair in two tasks"],
)
def test_two_answers_of_one_person_to_one_task_are_a_fault(studio, tasks):
    with pytest.raises(InputError) as caught:
        studio(*tasks)
    assert len(caught.value.faults) == 1


def test_a_gold_pair_may_stand_in_two_tasks(studio):
    assert len(studio(task(1, "user", [(11, 1, 2)]), task(2, "user", [(21, 1, 3)])).rows) == 2


def test_names_of_items_are_written_as_those_of_tables(studio):
    (row,) = studio(task(1, "A", [(11, 1.0, 2)], doc_id=1.0, reader_a="Jose\u0301", reader_b=" bob ")).rows
    assert [row[name] for name in ("doc_id", "reader_a", "reader_b", "rater")] == ["1", "José", "bob", "1"]
