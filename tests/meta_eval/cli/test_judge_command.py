"""`judge pairs`: what a model is shown, what is written of it, and that it is asked once."""

import csv
import io
import json
import shutil
import subprocess
import sys

import pytest

from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.errors import InputError
from meta_eval.files.cells import csv_text
from meta_eval.ratings.rating import Ends
from meta_eval.ratings.rows import RATING_COLUMNS, rating_row
from meta_eval.studies.judging.wording import reworded
from tests.factories.llm_server import model_server
from tests.meta_eval.cli.judged_corpus import (
    DOCUMENTS,
    READERS,
    SYSTEMS,
    TEXTS,
    make_document,
    overlap,
    two_texts,
)
from tests.meta_eval.cli.running import results, run
from tests.meta_eval.model_ratings import make_study

KEY = "sk-known-to-nobody-else"


@pytest.fixture(scope="module")
def corpus_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("judged") / "corpus.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        write_jsonl(Corpus(tuple(map(make_document, DOCUMENTS))), stream)
    return path


def files_of(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def judged(corpus_file, tmp_path_factory):
    """Two models, one of them over HTTP with a key; and the same call again."""
    folder, store = tmp_path_factory.mktemp("out"), tmp_path_factory.mktemp("replies")
    with pytest.MonkeyPatch.context() as patched, model_server(overlap) as server:
        patched.setenv("CONCORD_LLM_KEY", KEY)
        typed = ["judge", "pairs", corpus_file, "--scale", "similarity", "--store", store]
        for name in ("judge-a", "judge-b"):
            typed += ["--model", f"http:model={name},url={server.url}"]
        first = run(*typed, "--out", folder / "first")
        bodies = list(server.seen.bodies)
        second = run(*typed, "--out", folder / "second")
        assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
        yield {"bodies": bodies, "requests": server.requests, "url": server.url, "folder": folder,
               "store": store, "first": first, "second": second}  # fmt: skip


def test_every_pair_is_asked_in_both_orders_and_its_mean_is_the_rating(judged):
    rows = list(csv.DictReader((judged["folder"] / "first" / "ratings.csv").open(encoding="utf-8")))
    pairs = len(DOCUMENTS) * 3 * (len(SYSTEMS) + 1)
    assert len(rows) == 2 * pairs
    assert {row["rater"] for row in rows} == {"model:judge-a", "model:judge-b"}
    copied = [row["rating"] for row in rows if row["system"] == "System-Deaf"]
    assert copied == ["5"] * len(copied)
    means = list(csv.DictReader((judged["folder"] / "first" / "means.csv").open(encoding="utf-8")))
    for row in means:
        assert float(row["mean"]) == (float(row["mean_ab"]) + float(row["mean_ba"])) / 2
    (record, other) = json.loads((judged["folder"] / "first" / "run.json").read_text("utf-8"))
    assert (record["questions"], record["answered"], record["left_out"]) == (2 * pairs, 2 * pairs, {})
    assert (record["pairs"], record["pairs_without_rating"], record["fingerprints"]) == (
        pairs,
        0,
        ["build-1"],
    )
    assert record["position_effect"] == other["position_effect"] != 0
    assert record["signature_line"].startswith(
        "model-rating|attempts:2|both_orders:true|draws:1|form_digest:"
    )


def test_no_request_says_where_a_text_is_from(judged):
    hidden = [*SYSTEMS, *READERS, *DOCUMENTS, "Title of", "gold", "reference", "summar", KEY, "corpus"]
    for body in judged["bodies"]:
        shown = " ".join(message["content"] for message in json.loads(body)["messages"])
        assert [word for word in hidden if word.encode() in body or word.lower() in shown.lower()] == []
        assert f" {GOLD} " not in shown
        assert json.loads(body).keys() == {
            "model", "messages", "max_tokens", "temperature", "top_p", "seed", "response_format"
        }  # fmt: skip


def test_the_second_run_asks_nothing_and_writes_the_same(judged):
    assert judged["requests"] == len(judged["bodies"])
    assert files_of(judged["folder"] / "first") == files_of(judged["folder"] / "second")
    assert "judge-a: 0 requests sent" in judged["second"].stderr


def test_equal_pairs_are_asked_once(judged):
    assert len(set(judged["bodies"])) == len(judged["bodies"])


def test_the_command_says_what_leaves_and_where_to(judged):
    assert f"their texts go to {judged['url']}." in judged["first"].stderr
    assert KEY not in judged["first"].stderr


def test_the_key_is_in_no_file(judged):
    files = [file for place in ("folder", "store") for file in judged[place].rglob("*") if file.is_file()]
    assert len(files) > 10
    assert [file for file in files if KEY.encode() in file.read_bytes()] == []


def test_replay_writes_the_same_without_a_connection(judged, corpus_file, tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
    models = [word for name in ("judge-a", "judge-b") for word in ("--model", f"replay:model={name}")]
    done = run(
        "judge", "pairs", corpus_file, *models, "--scale", "similarity", "--store", judged["store"],
        "--out", tmp_path / "replayed",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert files_of(tmp_path / "replayed") == files_of(judged["folder"] / "first")


def test_human_takes_the_ratings_of_models_alone(judged, corpus_file, tmp_path):
    ratings = judged["folder"] / "first" / "ratings.csv"
    asked = ("--surrogate", "rouge-l", "--scale", "similarity")
    records = results("human", corpus_file, ratings, *asked)
    assert {record["system"]: record["degress_hj"] is not None for record in records} == dict.fromkeys(
        SYSTEMS, True
    )
    mixed = tmp_path / "mixed.csv"
    mixed.write_text(ratings.read_text("utf-8").replace("model:judge-a", "p1"), encoding="utf-8")
    done = run("human", corpus_file, mixed, *asked)
    assert done.returncode == 2
    assert "holds ratings of people ('p1') and of models ('model:judge-b')" in done.stderr
    alone = tmp_path / "alone.csv"
    rows = mixed.read_text("utf-8").splitlines(keepends=True)
    alone.write_text("".join(row for row in rows if ",p1," not in row), encoding="utf-8")
    of_models = run("human", corpus_file, mixed, *asked, "--models", "only")
    assert json.loads(of_models.stdout) == results("human", corpus_file, alone, *asked)
    people = sum(",p1," in row for row in rows)
    assert f"note: {mixed}: {people} rows of the file left out: of a person" in of_models.stderr
    alone.write_text("".join(row for row in rows if ",model:" not in row), encoding="utf-8")
    nobody = run("human", corpus_file, alone, *asked, "--models", "only")
    assert (nobody.returncode, "holds no ratings" in nobody.stderr) == (2, True)


def test_a_dry_run_sends_nothing_and_a_batch_file_comes_back(judged, corpus_file, tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
    typed = ["judge", "pairs", corpus_file, "--scale", "similarity", "--out", tmp_path]
    done = run(*typed, "--model", "http:model=judge-a", "--dry-run", "--price-in", "2", "--price-out", "8")
    assert done.returncode == 0, done.stderr
    prompts = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text("utf-8").splitlines()]
    assert f"judge-a: {len(prompts)} requests, {len(prompts)} of them new" in done.stderr
    assert "in cost" in done.stderr
    assert [message["role"] for message in prompts[0]["messages"]] == ["system", "user"]
    assert run(*typed, "--model", "http:model=judge-a", "--batch").returncode == 0
    lines = [json.loads(line) for line in (tmp_path / "batch.jsonl").read_text("utf-8").splitlines()]
    assert [line["custom_id"] for line in lines] == [prompt["id"] for prompt in prompts]
    replies = tmp_path / "replies.jsonl"
    with replies.open("w", encoding="utf-8") as stream:
        for line in lines:
            choice = {"message": {"content": overlap(line["body"], 0).text}, "finish_reason": "stop"}
            response = {"status_code": 200, "body": {"choices": [choice]}}
            stream.write(json.dumps({"custom_id": line["custom_id"], "response": response}) + "\n")
    assert run(*typed, "--model", "replay:model=judge-a", "--replies", replies).returncode == 0
    wanted = (judged["folder"] / "first" / "ratings.csv").read_text("utf-8").splitlines()
    got = (tmp_path / "ratings.csv").read_text("utf-8").splitlines()
    assert got == [line for line in wanted if "judge-b" not in line]


def test_pairs_are_those_that_people_rated_and_words_those_of_their_study(corpus_file, tmp_path):
    ratings, study = tmp_path / "ratings.csv", tmp_path / "study.json"
    ratings.write_text(
        "doc_id,system,reader_a,reader_b,rater,rating\n"
        "doc-river,user,reader-bob,reader-ann,p,2\ndoc-storm,System-Half,reader-ann,reader-cid,p,5\n",
        encoding="utf-8",
    )
    asked = {
        "scale": "dissimilarity",
        "question": "How far apart are they?",
        "instructions": "Take care.",
        "low_label": "Near",
        "label_3": "Further",
        "high_label": "Far",
        "document_shown": True,
    }
    study.write_text(json.dumps(asked), encoding="utf-8")
    done = run(
        "judge", "pairs", corpus_file, "--ratings", ratings, "--study", study, "--label", "6=Very far",
        "--model", "replay:model=m", "--dry-run", "--out", tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    prompts = [json.loads(line)["messages"] for line in (tmp_path / "prompts.jsonl").open(encoding="utf-8")]
    assert len(prompts) == 4
    first = prompts[0][1]["content"]
    for words in (
        "Take care.",
        "How far apart are they?",
        "1: Near; 3: Further; 6: Very far.",
        "Title of river",
    ):
        assert words in first
    texts = [two_texts(prompt[1]["content"])[1:] for prompt in prompts]
    assert texts[0] == texts[1][::-1] == list(TEXTS["doc-river"][:2])


def test_the_form_of_the_answers_is_part_of_the_signature(corpus_file, tmp_path):
    typed = ["judge", "pairs", corpus_file, "--scale", "similarity", "--model", "replay:model=m"]
    found = []
    for number, more in enumerate(([], ["--explain"])):
        assert run(*typed, *more, "--out", tmp_path / str(number)).returncode == 0
        (record,) = json.loads((tmp_path / str(number) / "run.json").read_text("utf-8"))
        found.append(record["signature"]["options"])
    assert {name for name in found[0] if found[0][name] != found[1][name]} == {"form_digest", "max_tokens"}


def test_a_study_keeps_its_own_scale_and_words(tmp_path):
    path = tmp_path / "study.json"
    study = {"scale": "similarity", "question": "How alike?", "instructions": None, "lowest": 0, "highest": 4,
             "low_label": "Apart", "label_2": "Half", "high_label": "Alike", "label_5": ""}  # fmt: skip
    path.write_text(json.dumps(study), encoding="utf-8")
    words = reworded(path, None, None)
    assert (words.ends, words.labels, words.instructions) == (
        Ends(0, 4),
        {0: "Apart", 2: "Half", 4: "Alike"},
        "",
    )
    assert reworded(path, None, Ends(0, 4)) == words
    with pytest.raises(InputError, match=r"say 1 to 6, and .* asked on a scale from 0 to 4: leave them out"):
        reworded(path, None, Ends(1, 6))
    path.write_text(json.dumps({**study, "question": None}), encoding="utf-8")
    with pytest.raises(InputError, match=r"is no study\.json"):
        reworded(path, None, None)


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["--model", "http:model=m"], 2, "Error: say what a high rating means: --scale similarity or"),
        (["--scale", "similarity", "--model", "replay:model=m", "--model", "replay:model=m"], 2,
         "Error: m stands more than once: give each a name"),
        (["--scale", "similarity", "--model", "replay:model=m", "--draws", "3"], 2,
         "Error: --draws 3 needs a temperature above 0 to differ: set it for m"),
        (["--scale", "similarity", "--model", "replay:model=m", "--max-cost", "3"], 2,
         "Error: --max-cost needs what tokens cost"),
        (["--scale", "similarity", "--model", "replay:model=m", "--label", "9=x"], 2,
         "Error: --label is a point of the scale, 1 to 6"),
        (["--scale", "similarity", "--model", "http:model=m", "--max-tokens-total", "5"], 1,
         "Stopped: This may take"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_before_anything_is_sent(
    options, status, message, corpus_file, tmp_path
):
    done = run("judge", "pairs", corpus_file, *options, "--out", tmp_path)
    assert (done.returncode, message in done.stderr) == (status, True), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_missing_answers_are_counted_and_warned_of(corpus_file, tmp_path):
    done = run(
        "judge", "pairs", corpus_file, "--scale", "similarity", "--model", "replay:model=m", "--out", tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "warning: m: 48 of 48 answers are missing (48 not kept)" in done.stderr
    (record,) = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert (record["left_out"], record["pairs_without_rating"]) == ({"not kept": 48}, 24)
    rows = list(csv.reader(io.StringIO((tmp_path / "ratings.csv").read_text("utf-8"))))
    assert len(rows) == 1


def test_the_command_loads_no_client_before_a_model_is_named():
    code = (
        "import sys, meta_eval.cli.judging; "
        "print([name for name in ('httpx2', 'torch', 'transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_model_is_set_beside_people(judged, corpus_file, tmp_path):
    people = tmp_path / "people.csv"
    rows = [
        f"{name},{system},{READERS[0]},{READERS[1]},p{rater},{1 + (rater + number) % 6}"
        for number, (name, system) in enumerate((name, one) for name in DOCUMENTS for one in SYSTEMS)
        for rater in range(3)
    ]
    people.write_text("doc_id,system,reader_a,reader_b,rater,rating\n" + "\n".join(rows), encoding="utf-8")
    ratings, answers = (judged["folder"] / "first" / name for name in ("ratings.csv", "answers.jsonl"))
    typed = ["--scale", "similarity", "--epsilon", "0.2"]
    done = run("judge", "stand-in", corpus_file, people, answers, *typed)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [record["rater"] for record in found] == ["model:judge-a", "model:judge-b"]
    assert found[0]["agreement_with_people"]["pairs_of_ratings"] == 6 * 3
    test = found[0]["alternative_annotator_test"]
    assert (test["epsilon"], test["passes"], test["items"]) == (0.2, None, 6)
    assert "note: model:judge-a: 0 of 3 raters have 30 items or more" in done.stderr
    leanings = {row["leaning"]: row["estimate"] for row in found[0]["leanings"]}
    run_record = json.loads((judged["folder"] / "first" / "run.json").read_text())[0]
    assert leanings["position"] == pytest.approx(run_record["position_effect"])
    from_ratings = json.loads(run("judge", "stand-in", corpus_file, people, ratings, *typed).stdout)
    assert from_ratings[0]["agreement_with_people"] == found[0]["agreement_with_people"]
    swapped = run("judge", "stand-in", corpus_file, answers.with_name("ratings.csv"), people, *typed)
    assert (swapped.returncode, "'p0' is no model" in swapped.stderr) == (2, True)


def test_what_a_mixed_survey_would_buy_is_said_where_it_is_asked_for(tmp_path):
    corpus, people, models = make_study()
    files = [tmp_path / name for name in ("corpus.jsonl", "people.csv", "ratings.csv")]
    with files[0].open("w", encoding="utf-8") as stream:
        write_jsonl(corpus, stream)
    for file, ratings in zip(files[1:], (people, models), strict=True):
        file.write_text(csv_text([RATING_COLUMNS, *map(rating_row, ratings)]), encoding="utf-8")
    typed = ("--scale", "similarity", "--surrogate", "rouge-l", "--resamples", "1000")
    asked, unasked = (results("judge", "stand-in", *files, *typed, *more) for more in (["--mixed"], []))
    assert [len(one["mixed"]) for one in asked] == [2 * len(corpus.systems)] * 2
    assert unasked == [{**one, "mixed": []} for one in asked]


def test_kept_replies_are_seen_and_removed_like_distances(judged, tmp_path):
    """Each model has a signature of its own; cleaned to nothing, the store holds no reply."""
    store = tmp_path / "copy"
    shutil.copytree(judged["store"], store)
    held = results("store", "info", store)
    assert sorted(json.loads(record["signature"])["model"] for record in held) == ["judge-a", "judge-b"]
    assert [(record["parts"], record["damaged"]) for record in held] == [(1, 0), (1, 0)]
    assert all(record["bytes"] > 0 for record in held)
    results("store", "clean", store, "--max-megabytes", 0, "--keep-hours", 0)
    assert [(record["parts"], record["bytes"]) for record in results("store", "info", store)] == [(0, 0)] * 2
