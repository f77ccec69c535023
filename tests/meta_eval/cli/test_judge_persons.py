"""`judge reviews`, `comparisons`, `summaries`: asked once, replayed to the same bytes, as the docs say."""

import json

import pytest
from scipy import stats

from meta_eval.measures import make_measure
from meta_eval.studies.perse.baselines import factorise
from meta_eval.studies.perse.reading import read_reviews
from tests.factories.llm_server import Play, model_server, prompt_of
from tests.meta_eval.cli.running import results, run
from tests.meta_eval.studies.perse.judging import DEMO, FENCED, demo_judge, write_lines

DATA = DEMO / "perse"
REPLAY = ("--model", "replay:model=stand-in", "--replies", DATA / "replies.jsonl")
COMMANDS = {
    "reviews": ("judge", "reviews", DATA / "reviews.jsonl", "--profiles", "own", "--profiles", "shuffled",
                "--baseline", "reviewer-average", "--baseline", "matrix-factorisation",
                "--baseline", "no-profile", "--resamples", 0),
    "comparisons": ("judge", "comparisons", DATA / "comparisons.jsonl", "--both-orders", "--profiles", "own",
                    "--profiles", "shuffled", "--baseline", "reviewer-average", "--resamples", 40),
    "summaries": ("judge", "summaries", DEMO / "corpus.jsonl", "--documents", 12, "--shuffled"),
    "anonymise": ("judge", "anonymise", DATA / "public.jsonl", "--shorten"),
}  # fmt: skip


def files_of(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.fixture
def offline(monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)


def test_the_demonstrations_files_are_what_its_builder_makes():
    judge = demo_judge()
    for make, file in ((judge.reviews, judge.REVIEWS), (judge.comparisons, judge.COMPARISONS),
                       (judge.public, judge.PUBLIC), (judge.replies, judge.REPLIES)):  # fmt: skip
        assert judge.lines(make()) == file.read_text("utf-8")
    assert judge.ratings() == judge.RATINGS.read_text("utf-8")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_runs_without_a_connection_and_every_answer_is_kept(name, offline, tmp_path):
    done = run(*COMMANDS[name], *REPLAY, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    file = "run.json" if name in {"summaries", "anonymise"} else "agreement.json"
    records = json.loads((tmp_path / file).read_text("utf-8"))
    asked = [record for record in records if "questions" in record]
    assert asked
    assert [(one["left_out"], one["answered"] - one["questions"]) for one in asked] == [({}, 0)] * len(asked)
    assert all(one["decisions"]["paper"] and one["decisions"]["ours"] for one in records)


def test_in_the_anonymous_example_no_name_is_left_and_its_reviews_can_be_judged(offline, tmp_path):
    done = run(*COMMANDS["anonymise"], *REPLAY, "--out", tmp_path / "anonymous")
    assert done.returncode == 0, done.stderr
    file = tmp_path / "anonymous" / "reviews.jsonl"
    works = json.loads((DATA / "works.json").read_text("utf-8"))
    names = [name for work in works for name in (work["title"], *work["names"])]
    assert [name for name in names if name in file.read_text("utf-8")] == []
    made = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [(one["reviewer"], one["item"]) for one in made] == [
        (reader, work) for work in ("work-1", "work-2", "work-3") for reader in ("R2", "R1")
    ]
    assert made[0]["text"].startswith("Irene Vane steers the last ferry to the island of Lund.")
    assert len(read_reviews(file, size=1).cases) == 2 * 2


def test_a_server_is_asked_once_and_replay_writes_the_same_bytes(tmp_path, monkeypatch):
    rule = demo_judge().stand_in

    def play(body, times):
        """One answer in four cannot be read at first, and is asked for again."""
        wrong = len(body["messages"]) == 2 and len(prompt_of(body)) % 4 == 0
        return Play("I cannot say." if wrong else rule(body["messages"][1]["content"]), fingerprint="build-1")

    with model_server(play) as server:
        served = ("--model", f"http:model=stand-in,url={server.url}", "--store", tmp_path / "store")
        assert run(*COMMANDS["comparisons"], *served, "--out", tmp_path / "first").returncode == 0
        sent = server.requests
        assert run(*COMMANDS["comparisons"], *served, "--out", tmp_path / "second").returncode == 0
        assert server.requests == sent > 0
    assert files_of(tmp_path / "first") == files_of(tmp_path / "second")
    replayed = ("--model", "replay:model=stand-in", "--store", tmp_path / "store")
    assert run(*COMMANDS["comparisons"], *replayed, "--out", tmp_path / "third").returncode == 0
    assert files_of(tmp_path / "first") == files_of(tmp_path / "third")
    alone = ("--model", "replay:model=stand-in", "--replies", tmp_path / "first" / "replies.jsonl")
    assert run(*COMMANDS["comparisons"], *alone, "--out", tmp_path / "fourth").returncode == 0
    assert files_of(tmp_path / "first") == files_of(tmp_path / "fourth")


def test_perse_stands_beside_other_measures_in_correlate_and_aggregate(tmp_path):
    done = run(*COMMANDS["summaries"], *REPLAY, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    scores = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    systems = [one["system"] for one in scores if one["measure"] == "perse"]
    signature = {"measure": "rouge-l"}
    human, automatic = tmp_path / "human.json", tmp_path / "automatic.json"
    rows = [
        {"system": name, "degress": 0.1 * n, "egises": 1 - 0.1 * n, "perseval": 0.1 * n}
        for n, name in enumerate(systems)
    ]
    human.write_text(json.dumps([
        {"system": row["system"], "surrogate": "rouge-l", "signature": signature,
         **{f"{name}_hj": row[name] for name in ("degress", "egises", "perseval")}} for row in rows
    ]), encoding="utf-8")  # fmt: skip
    automatic.write_text(json.dumps([
        {**row, "measure": "rouge-l", "accuracy": 0.9 - row["degress"], "signature": signature}
        for row in rows
    ]), encoding="utf-8")  # fmt: skip
    found = results(
        "correlate", human, automatic, "--judged", tmp_path / "scores.json", "--coefficient", "kendall"
    )
    kinds = {(row["human"], row["automatic"], row["measure"]) for row in found}
    accuracies = {("perseval_hj", "accuracy", name) for name in ("rouge-l", "perse", "perse-own")}
    assert kinds == accuracies | {
        (f"{name}_hj", name, "rouge-l") for name in ("degress", "egises", "perseval")
    }
    value = {row["measure"]: row["estimate"] for row in found if row["automatic"] == "accuracy"}
    assert value["rouge-l"] == pytest.approx(-1)
    assert value["perse"] is not None
    ranked = results("aggregate", human, automatic, "--judged", tmp_path / "scores.json")
    assert {row["accuracy"] for row in ranked} == {"rouge-l", "perse", "perse-own"}
    twice = run("correlate", human, tmp_path / "scores.json", "--judged", tmp_path / "scores.json")
    assert twice.returncode == 2
    assert "which another file holds, too" in twice.stderr


def test_tuning_data_are_questions_of_other_persons_with_their_answers(tmp_path):
    typed = ("judge", "reviews", DATA / "reviews.jsonl", "--tuning", "--out", tmp_path)
    assert run(*typed, "--held-out", 0.2).returncode == 0
    lines = [json.loads(line) for line in (tmp_path / "tuning.jsonl").read_text("utf-8").splitlines()]
    assert [message["role"] for message in lines[0]["messages"]] == ["system", "user", "assistant"]
    assert json.loads(lines[0]["messages"][-1]["content"]).keys() == {"review", "score"}
    done = run(*typed)
    assert (done.returncode, "--tuning needs --held-out" in done.stderr) == (2, True)


def test_the_factorisation_trains_on_all_reviews_but_those_of_the_test(tmp_path):
    """Every person has reviewed the same texts, so all other questions are left out of tuning."""
    reviews = write_lines(
        tmp_path / "reviews.jsonl",
        [
            {"reviewer": f"p{u}", "item": f"i{i}", "text": "A.", "review": "Good.", "score": 1 + (u + i) % 9}
            for u in range(4)
            for i in range(5)
        ],
    )
    typed = ("judge", "reviews", reviews, "--held-out", 0.25, "--profile-size", 2)
    asked = (*typed, "--baseline", "matrix-factorisation", "--resamples", 0, "--out", tmp_path)
    assert run(*asked).returncode == 0
    rows = [json.loads(line) for line in (tmp_path / "judged.jsonl").read_text("utf-8").splitlines()]
    tested = {(row["reviewer"], row["item"]) for row in rows}
    every = read_reviews(reviews, size=1)
    others = [one for one in [*every.known, *(case.query for case in every.cases)]
              if (one.reviewer, one.item) not in tested]  # fmt: skip
    assert (len(rows), len(others)) == (3, 17)
    factors = factorise(others, seed=0)
    wanted = [factors.score(row["reviewer"], row["item"]) for row in rows]
    assert [row["score"] for row in rows] == pytest.approx(wanted)
    done = run(*typed, "--tuning", "--out", tmp_path)
    assert (done.returncode, "no example is left to tune on" in done.stderr) == (2, True)


def test_histories_of_other_people_are_refused(tmp_path):
    readers = write_lines(tmp_path / "readers.jsonl", [{"reader": "nobody", "history": ["A title"]}])
    done = run(*COMMANDS["summaries"], *REPLAY, "--readers", readers, "--out", tmp_path)
    assert (done.returncode, "is this the right file?" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["reviews"], "say who judges: --model, or --baseline"),
        (["reviews", "--baseline", "no-profile"], "name a --model"),
        (
            ["reviews", "--baseline", "reviewer-average", "--profiles", "own"],
            "--profiles says what models are shown",
        ),
        (["comparisons", "--baseline", "matrix-factorisation"], "foretells scores, not choices"),
        (["reviews", "--baseline", "reviewer-average", "--dry-run"], "name a --model"),
    ],
)
def test_what_does_not_go_together_is_said(typed, said, tmp_path):
    done = run("judge", typed[0], DATA / f"{typed[0]}.jsonl", *typed[1:], "--out", tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_a_dry_run_writes_the_prompts(offline, tmp_path):
    done = run(*COMMANDS["summaries"], "--model", "http:model=stand-in", "--dry-run", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text("utf-8").splitlines()]
    assert f"{len(lines):,} requests" in done.stderr


@pytest.mark.parametrize(("name", "fits"), [("reviews", 60), ("comparisons", 100), ("summaries", 120)])
def test_limits_hold_over_all_profiles_of_a_model(name, fits, tmp_path):
    """Each profile is within the limit, all together are not: nothing is sent."""
    more = ("--no-own", "--shuffled") if name == "summaries" else ()
    with model_server(lambda *_: Play("")) as server:
        served = ("--model", f"http:model=stand-in,url={server.url}", "--max-requests", fits)
        done = run(*COMMANDS[name], *more, *served, "--out", tmp_path)
    assert (done.returncode, server.requests) == (1, 0), done.stderr
    assert f"above the limit of {fits}. Nothing was sent" in done.stderr


def test_a_model_that_computes_rouge_ranks_systems_as_rouge_does(offline, tmp_path):
    """As a rater of pairs: whole ratings from 1 to 6, in both orders, of six documents."""
    corpus, measure = DEMO / "corpus.jsonl", make_measure("rouge-l")
    typed = (
        "judge",
        "pairs",
        corpus,
        "--scale",
        "similarity",
        "--documents",
        6,
        "--model",
        "replay:model=rouge",
    )
    assert run(*typed, "--dry-run", "--out", tmp_path).returncode == 0
    with (tmp_path / "answers.jsonl").open("w", encoding="utf-8") as stream:
        for line in (tmp_path / "prompts.jsonl").read_text("utf-8").splitlines():
            prompt = json.loads(line)
            first, second = (text for _, text in FENCED.findall(prompt["messages"][-1]["content"]))
            rating = {"score": round(1 + 5 * (1 - measure(first, second)))}
            stream.write(json.dumps({"id": prompt["id"], "text": json.dumps(rating)}) + "\n")
    done = run(*typed, "--replies", tmp_path / "answers.jsonl", "--out", tmp_path / "rated")
    assert done.returncode == 0, done.stderr
    ratings = tmp_path / "rated" / "ratings.csv"
    people = results("human", corpus, ratings, "--surrogate", "rouge-l", "--scale", "similarity")
    machine = {row["system"]: row["degress"] for row in results("score", corpus, "--measure", "rouge-l")}
    pairs = [(row["degress_hj"], machine[row["system"]]) for row in people]
    assert len(pairs) == 10
    assert stats.kendalltau(*zip(*pairs, strict=True)).statistic >= 0.9
