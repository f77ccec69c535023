"""Paradoxes of iCOPERNICUS: cell by cell against the published tables, and what a user may get wrong."""

import csv
import io
import json

import pytest

from meta_eval.cli import main
from meta_eval.errors import InputError
from meta_eval.scores.prompt_styles import PAIRS, STYLES
from meta_eval.studies.icopernicus.paradoxes import (
    find_paradoxes,
    read_style_scores,
    styles_of_systems,
)


def verdicts(scores, **options):
    return {one.paradox: one.is_paradox for one in find_paradoxes({"M": scores}, **options)}


def test_a_richer_prompt_that_is_no_better_is_a_paradox():
    scores = dict(zip(STYLES, (0.5, 0.5, 0.4, 0.6, 0.4, 0.7), strict=True))
    assert verdicts(scores) == {
        "PX-1": True,  # equal is no better
        "PX-2": False,
        "PX-3": True,
        "PX-4": False,
        "PX-5": True,
        "PX-6": False,
    }


def test_section_3_compares_other_prompts():
    scores = dict(zip(STYLES, (0.5, 0.3, 0.4, 0.8, 0.4, 0.7), strict=True))
    table, section = verdicts(scores), verdicts(scores, pairs="section-3")
    assert {name for name in table if table[name] != section[name]} == {"PX-2", "PX-5"}
    assert (section["PX-2"], section["PX-5"]) == (True, True)
    assert {name for name in PAIRS["table"] if PAIRS["table"][name] != PAIRS["section-3"][name]} == {
        "PX-2",
        "PX-5",
    }


def test_a_missing_score_leaves_its_cells_open_with_a_reason():
    found = {one.paradox: one for one in find_paradoxes({"M": {"0-shot": 0.5, "2-shot w/": 0.4}})}
    assert (found["PX-2"].is_paradox, found["PX-2"].reason) == (False, None)
    assert (found["PX-1"].is_paradox, found["PX-1"].reason) == (None, "no EGISES of 2-shot w/o")
    assert found["PX-6"].reason == "no EGISES of C-0-shot and C-2-shot w/o"


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"3-shot": 0.5}, "M: '3-shot' is no prompt style; there are 0-shot, "),
        ({"0-shot": 1.5}, "M, 0-shot: an EGISES is from 0 to 1, not 1.5"),
    ],
)
def test_what_is_no_score_of_a_style_is_refused(scores, message):
    with pytest.raises(InputError, match=message):
        find_paradoxes({"M": scores})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,0-shot\nM,0.5\n", "t.csv:1: the header needs the columns model and 0-shot"),
        ("model\nM\n", "t.csv:1: the header needs the columns model and 0-shot"),
        ("model,0-shot\nM,0.5\nM,0.4\n", "t.csv:3: model 'M' is empty or stands in the table before"),
        ("model,0-shot\nM,half\n", "t.csv:2: 'half' is not a finite number"),
        ("model,0-shot\nM,inf\n", "t.csv:2: 'inf' is not a finite number"),
        ("model,0-shot\n\nM,inf\n", "t.csv:3: 'inf' is not a finite number"),
        ("model,0-shot\n", "t.csv: holds no models"),
        ("", "t.csv:1: the header needs the columns model and 0-shot"),
    ],
)
def test_faults_of_a_table_are_named_with_their_line(text, message):
    with pytest.raises(InputError) as caught:
        read_style_scores(io.BytesIO(text.encode()), name="t.csv")
    (fault,) = caught.value.faults
    assert str(fault).startswith(message)


def test_an_empty_cell_is_no_score():
    found = read_style_scores(io.BytesIO(b"model,0-shot,2-shot w/\nM,0.5,\n"))
    assert found == {"M": {"0-shot": 0.5, "2-shot w/": None}}


def test_records_of_score_are_read_by_the_names_of_their_systems():
    records = [
        {"system": f"GPT: mini: {style}", "measure": measure, "egises": value}
        for measure, value in (("jsd", 0.5), ("bleu", 0.25))
        for style in ("0-shot", "2-shot w/o")
    ]
    assert styles_of_systems(records, "bleu") == {"GPT: mini": {"0-shot": 0.25, "2-shot w/o": 0.25}}
    with pytest.raises(InputError, match="choose one of jsd, bleu"):
        styles_of_systems(records)
    with pytest.raises(InputError, match="choose one of jsd, bleu"):
        styles_of_systems(records, "meteor")
    with pytest.raises(InputError, match="system 'GPT' is not named MODEL: STYLE"):
        styles_of_systems([{"system": "GPT", "measure": "jsd", "egises": 0.5}])
    with pytest.raises(InputError, match="system 'GPT:0-shot' stands in the records twice"):
        styles_of_systems(
            [{"system": name, "measure": "jsd", "egises": 0.5} for name in ("GPT: 0-shot", "GPT:0-shot")]
        )


def test_the_command_writes_one_record_a_cell(capsys, tmp_path):
    table, scores = tmp_path / "t.csv", tmp_path / "scores.json"
    table.write_text("model,0-shot,2-shot w/o\nM,0.5,0.6\n", encoding="utf-8")
    rows = [
        {"system": f"M: {style}", "measure": "jsd", "egises": value}
        for style, value in (("0-shot", 0.5), ("2-shot w/o", 0.6))
    ]
    scores.write_text(json.dumps(rows), encoding="utf-8")
    outputs = []
    for file in (table, scores):
        with pytest.raises(SystemExit):
            main(["paradoxes", str(file)])
        outputs.append(json.loads(capsys.readouterr().out))
    assert outputs[0] == outputs[1]
    assert [row["is_paradox"] for row in outputs[0]] == [True, None, None, None, None, None]


@pytest.mark.shared
def test_all_85_cells_of_the_published_table_come_out(shared):
    folder = shared / "data" / "published"
    found = find_paradoxes(read_style_scores(folder / "icopernicus_table3_egises_jsd.csv"))
    with (folder / "icopernicus_table4_paradoxes.csv").open(encoding="utf-8", newline="") as stream:
        published = {
            (row["model"], paradox): verdict == "yes"
            for row in csv.DictReader(stream)
            for paradox, verdict in row.items()
            if paradox != "model"
        }
    ours = {(one.model, one.paradox): one.is_paradox for one in found if one.paradox != "PX-6"}
    assert len(published) == 85
    assert ours == published
