"""Paradoxes of iCOPERNICUS: cell by cell against the published tables, and what a user may get wrong."""

import csv
import io
import json

import pytest

from meta_eval.cli import main
from meta_eval.errors import InputError
from meta_eval.scores.prompt_styles import PAIRS, STYLES
from meta_eval.studies.icopernicus.paradoxes import (
    adversarial_changes,
    find_paradoxes,
    read_style_scores,
    styles_of_systems,
    summarise_orders,
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


@pytest.mark.shared
def test_the_aggregates_of_section_5_come_out_of_the_published_scores(shared):
    """Points: the paper prints 2.6/1.7, 2.5/2, 3.8/1.6, 4.1/3.6 and 0.6/1.6."""
    scores = read_style_scores(shared / "data" / "published" / "icopernicus_table3_egises_jsd.csv")
    found = {
        one.paradox: (one.gaining, round(one.mean_gain, 3), one.others, round(one.mean_loss, 3), one.unknown)
        for one in summarise_orders(scores)
        if one.paradox != "PX-6"
    }
    assert found == {
        "PX-1": (10, 2.59, 7, 1.657, 0),
        "PX-2": (10, 2.53, 7, 2.043, 0),
        "PX-3": (9, 3.778, 8, 1.563, 0),
        "PX-4": (6, 4.05, 11, 3.609, 0),
        "PX-5": (3, 0.633, 14, 1.579, 0),
    }
    best = next(one for one in summarise_orders(scores) if one.paradox == "PX-5")
    assert round(best.greatest_gain, 6) == 1.2
    published = [one for one in find_paradoxes(scores) if one.paradox != "PX-6"]
    without = {one.model for one in published} - {one.model for one in published if one.is_paradox}
    assert without == {"Orca 2 7B", "Zephyr 7B beta"}
    lowest = {model: min(own.values()) for model, own in scores.items()}
    assert sorted(lowest, key=lowest.get)[:5] == [
        "Tulu V2 DPO 7B",
        "Llama 2 7B Chat",
        "Mistral 7B Instruct v0.2",
        "Llama 2 13B Chat",
        "Zephyr 7B alpha",
    ]
    assert round(100 * (0.899 - lowest["Tulu V2 DPO 7B"]), 6) == 57.4


def test_nine_orders_are_those_of_section_3():
    assert list(PAIRS["all"]) == [
        "PX-1",
        "PX-1-h",
        "PX-1 (contrastive)",
        "PX-1-h (contrastive)",
        "PX-2",
        "PX-2 (contrastive)",
        "PX-3",
        "PX-4",
        "PX-5",
    ]
    assert len(set(PAIRS["all"].values())) == 9
    table = PAIRS["table"]
    assert PAIRS["all"]["PX-1-h"] == table["PX-2"]
    assert PAIRS["all"]["PX-1-h (contrastive)"] == table["PX-5"]
    assert PAIRS["all"]["PX-1 (contrastive)"] == table["PX-6"]


CHANGES = {
    "C-0-shot": (1.97, 1.96, 1.94),
    "C-2-shot w/o": (0.28, 0.46, 0.56),
    "C-2-shot w/": (1.54, 1.78, 2.2),
}


def test_a_random_second_reader_changes_the_score_by_points():
    """The means of the paper's Table 6, of the changes that it prints for three models."""
    real = 0.4
    scores = {
        f"M{model}": {
            name: value
            for style, changes in CHANGES.items()
            for name, value in (
                (style, real),
                (f"{style}, random User2", real + changes[model] / 100),
            )
        }
        for model in range(3)
    }
    found = adversarial_changes(scores)
    means = {style: round(sum(one.change for one in found if one.style == style) / 3, 3) for style in CHANGES}
    assert means == {"C-0-shot": 1.957, "C-2-shot w/o": 0.433, "C-2-shot w/": 1.84}
    (gone,) = adversarial_changes({"M": {"C-0-shot, random User2": 0.5}})
    assert (gone.change, gone.reason) == (None, "no EGISES of C-0-shot")
    assert find_paradoxes(scores) == find_paradoxes(
        {model: {style: own[style] for style in CHANGES} for model, own in scores.items()}
    )
