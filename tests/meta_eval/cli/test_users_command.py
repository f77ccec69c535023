"""`users`: the how-to from timelines to the report, over HTTP, from kept replies, and interrupted."""

import csv
import io
import json
import re
import shlex
from html import escape
from pathlib import Path

import pytest
from pypdf import PdfReader

from meta_eval.llm.models import parse_model
from meta_eval.studies.users.decisions import DECISIONS
from tests.factories.causal_models import save_causal
from tests.factories.llm_server import Play, model_server, prompt_of
from tests.factories.user_models import INVENTED, MODEL, reply
from tests.fixtures.make_user_replies import replies
from tests.meta_eval.cli.running import results, run

ROOT = Path(__file__).parents[3]
FIXTURE = ROOT / "fixtures" / "users"
TIMELINE = FIXTURE / "timeline.jsonl"
KEPT = ("--model", f"replay:model={MODEL}", "--replies", FIXTURE / "replies.jsonl")
CHECKED = ("--approach", "hierarchy-critique")
PROMPT_KEYS = {"id", "messages", "tokens"}


def files_of(folder):
    return {
        file.relative_to(folder): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()
    }


def pipeline(out, *model, timeline=TIMELINE):
    """Tasks, summaries by both approaches, and scores; every command must succeed."""
    tasks = out / "tasks.jsonl"
    for typed in (
        ("tasks", timeline, "--out", tasks),
        ("summarise", timeline, *model, "--out", out / "single"),
        ("summarise", timeline, *CHECKED, "--least", 8, *model, "--out", out / "checked"),
        ("score", *(out / name / "summaries.jsonl" for name in ("single", "checked")), "--tasks", tasks,
         *model, "--out", out / "scores"),
    ):  # fmt: skip
        done = run("users", *typed)
        assert done.returncode == 0, done.stderr
    return files_of(out)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """The folder that the commands of the how-to fill, while no connection can be made."""

    def refuse(*_):
        raise AssertionError("a connection was opened")

    folder = tmp_path_factory.mktemp("replayed")
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    page = (ROOT / "docs" / "usersumbench.md").read_text("utf-8")
    (block,) = [part for part in re.findall(r"```bash\n(.*?)```", page, re.DOTALL) if "replay:" in part]
    lines = [shlex.split(line) for line in block.replace("\\\n", " ").strip().splitlines()]
    assert [words[:5] for words in lines] == [
        ["python", "-m", "meta_eval", "users", part]
        for part in ("tasks", "summarise", "summarise", "score", "agree", "compare", "report")
    ]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("socket.socket.connect", refuse)
        patched.chdir(folder)
        for words in lines:
            done = run(*words[3:])
            assert done.returncode == 0, done.stderr
    return folder / "study"


@pytest.fixture(scope="module")
def few_users(tmp_path_factory):
    """Two people of the fixture, each with three activities before the future."""
    path = tmp_path_factory.mktemp("few") / "timeline.jsonl"
    records = [json.loads(line) for line in TIMELINE.read_text("utf-8").splitlines()[:2]]
    short = [{**record, "activities": record["activities"][-8:]} for record in records]
    path.write_text("".join(json.dumps(record) + "\n" for record in short), encoding="utf-8")
    return path


def test_the_replies_of_the_fixture_are_those_of_the_prompts():
    """`python -m tests.fixtures.make_user_replies` writes them anew."""
    assert replies() == (FIXTURE / "replies.jsonl").read_text("utf-8")


def test_a_scripted_server_gives_the_same_bytes_and_is_asked_once(replayed, tmp_path):
    def answer(body, _):
        return Play(reply(prompt_of(body)))

    with model_server(answer) as server:
        http = ("--model", f"http:model={MODEL},url={server.url}", "--store", tmp_path / "store")
        first = pipeline(tmp_path / "first", *http)
        asked = server.requests
        assert asked == len(set(server.seen.bodies))
        again = run(
            "users", "summarise", TIMELINE, *CHECKED, "--least", 8, *http, "--out", tmp_path / "again"
        )
        assert (again.returncode, server.requests) == (0, asked)
        users = [json.loads(line)["user"] for line in TIMELINE.read_text("utf-8").splitlines()]
        shown = "\n".join(prompt_of(json.loads(body)) for body in server.seen.bodies)
    assert [user for user in users if re.search(rf"\b{user}\b", shown)] == []
    assert files_of(tmp_path / "again") == files_of(tmp_path / "first" / "checked")
    kept = files_of(replayed)

    def uncounted(data):
        """Without what replies took, which a server says and a file of replies does not."""
        return re.sub(rb'"(prompt|completion)_tokens": \w+', b"", data)

    assert {name: uncounted(kept[name]) for name in first} == {
        name: uncounted(data) for name, data in first.items()
    }


def test_a_stopped_run_goes_on_from_what_is_kept(tmp_path, few_users):
    with model_server(lambda body, _: Play(reply(prompt_of(body)))) as server:
        http = ("--model", f"http:model={MODEL},url={server.url},concurrent=1", "--store", tmp_path / "store")
        typed = ("users", "summarise", few_users, *CHECKED, "--least", 2, *http)
        stopped = run(*typed, "--max-requests", 5, "--out", tmp_path / "out")
        before = server.requests
        assert (stopped.returncode, before <= 5) == (1, True)
        assert re.search(
            r"Stopped: 2 \(requests\) are used, and what comes next may take \d more", stopped.stderr
        )
        assert not (tmp_path / "out").exists()
        assert run(*typed, "--out", tmp_path / "out").returncode == 0
        assert server.requests == len(set(server.seen.bodies)) > before


def test_scores_say_what_they_rest_on(replayed):
    scores = json.loads((replayed / "scores" / "scores.json").read_text("utf-8"))
    made = json.loads((replayed / "scores" / "run.json").read_text("utf-8"))
    assert [one["approach"] for one in scores] == ["single", "hierarchy-critique"]
    for one in scores:
        assert one["controls"]["other"]["accuracy"] < one["chance"] < one["accuracy"]
        assert one["intervals"]["qm"]["low"] <= one["qm"] <= one["intervals"]["qm"]["high"]
        assert one["over_other"]["p_adjusted"] < 0.05
        assert one["signature_line"].startswith("usersumbench|all_orders:false|at_least:50%25|attempts:2")
    assert {one["whose"] for one in made["decisions"]} == {"paper", "ours"}
    assert len(made["decisions"]) == len(DECISIONS)
    rows = [
        json.loads(line)
        for line in (replayed / "scores" / "predictions.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(rows) == 180 * 5
    assert {row["approach"] for row in rows if row["shown"] == "none"} == {None}


def test_agree_and_compare_take_what_score_wrote(replayed):
    quick = ("--resamples", 200)
    agreed = results("users", "agree", replayed / "scores", FIXTURE / "labels.csv", *quick)
    assert [one["approach"] for one in agreed] == ["single", "hierarchy-critique", "all approaches"]
    assert agreed[2]["summaries"] == agreed[0]["summaries"] + agreed[1]["summaries"] == 24
    compared = run("users", "compare", replayed / "scores", *quick, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(compared.stdout)))
    assert [row["measure"] for row in rows] == ["qm", "ifm", "idm", "accuracy"]
    assert "note: 12 users on both sides" in compared.stderr


def test_the_report_is_one_html_file_and_a_tagged_pdf(replayed, tmp_path):
    given = ("--labels", FIXTURE / "labels.csv", "--trail", replayed / "checked" / "trail.jsonl")
    done = run("users", "report", replayed / "scores", *given, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert files_of(tmp_path) == files_of(replayed / "report")
    html = (tmp_path / "report.html").read_text("utf-8")
    assert re.findall(r"(?:src|href)=|https?://", html) == []
    assert [one.decided for one in DECISIONS if escape(one.decided) not in html] == []
    assert f"Claim {INVENTED}: not borne out" in html
    reader = PdfReader(tmp_path / "report.pdf")
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    text = " ".join(page.extract_text() for page in reader.pages)
    assert ("Do people agree?" in text, "Signature: usersumbench" in text) == (True, True)


def test_a_dry_run_writes_the_next_questions_and_kept_replies_lead_on(tmp_path, few_users):
    typed = ["users", "summarise", few_users, "--approach", "hierarchy-critique", "--least", 2,
             "--model", f"http:model={MODEL}", "--out", tmp_path]  # fmt: skip
    given = tmp_path / "replies.jsonl"
    given.write_text("", encoding="utf-8")
    steps = []
    for _ in range(12):
        done = run(*typed, "--dry-run", "--replies", given)
        assert done.returncode == 0, done.stderr
        if not (tmp_path / "prompts.jsonl").exists():
            break
        prompts = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text("utf-8").splitlines()]
        (tmp_path / "prompts.jsonl").unlink()
        steps.append({key for prompt in prompts for key in prompt})
        with given.open("a", encoding="utf-8") as stream:
            for prompt in prompts:
                text = reply(prompt["messages"][-1]["content"])
                stream.write(json.dumps({"id": prompt["id"], "text": text}) + "\n")
    assert steps == [PROMPT_KEYS] * len(steps)
    assert len(steps) >= 5
    assert (tmp_path / "summaries.jsonl").exists()
    assert run(*typed[:-2], "--out", tmp_path / "batch", "--batch").returncode == 0
    assert (
        json.loads((tmp_path / "batch" / "batch.jsonl").read_text("utf-8").splitlines()[0])["method"]
        == "POST"
    )


def test_a_tiny_local_model_runs_it_end_to_end(tmp_path, few_users):
    folder = save_causal(tmp_path / "tiny", positions=4096, layers=1)
    one_user = tmp_path / "timeline.jsonl"
    one_user.write_text(few_users.read_text("utf-8").splitlines()[0], encoding="utf-8")
    local = f"local:model={folder},device=cpu"
    size = ("--words", 1, "--context", 300)
    store = ("--store", tmp_path / "store")
    assert run("users", "tasks", few_users, "--future", 1, "--out", tmp_path / "tasks.jsonl").returncode == 0
    checks = (*CHECKED, "--least", 7, "--rounds", 1, "--claims", 1, "--entities", "timeline")
    typed = ("users", "summarise", one_user, "--future", 1, *size, *checks, "--attempts", 1, *store)
    written = run(*typed, "--model", local, "--out", tmp_path / "made")
    assert written.returncode == 0, written.stderr
    record = json.loads((tmp_path / "made" / "run.json").read_text("utf-8"))
    assert (record["summaries"], record["left_out"]) == (0, {"summaries cut off": 1})  # it never ends a text
    user = json.loads(one_user.read_text("utf-8"))["user"]
    own = tmp_path / "summaries.jsonl"
    own.write_text(json.dumps({"user": user, "approach": "own", "summary": "Likes rain."}), encoding="utf-8")
    score = ("users", "score", own, "--tasks", tmp_path / "tasks.jsonl",
             "--no-controls", "--attempts", 1, *store)  # fmt: skip
    scored = run(*score, "--model", local, "--out", tmp_path / "scores")
    assert scored.returncode == 0, scored.stderr
    made = json.loads((tmp_path / "scores" / "run.json").read_text("utf-8"))
    assert made["questions"] == made["answered"] + sum(made["left_out"].values()) > 0
    revision = made["signature"]["revision"]
    assert parse_model(local).revision is None
    assert revision.startswith("sha256:")
    again = f"replay:model={made['model']},revision={revision}"
    assert run(*score, "--model", again, "--out", tmp_path / "again").returncode == 0
    assert files_of(tmp_path / "again") == files_of(tmp_path / "scores")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("summarise", TIMELINE, *KEPT, "--verifier", "replay:model=x"), "--verifier checks segments"),
        (("score", FIXTURE / "labels.csv", "--tasks", TIMELINE, *KEPT), "labels.csv:1: is no summary"),
        (
            ("score", TIMELINE, "--tasks", TIMELINE, *KEPT, "--at-least", "0.6"),
            "--at-least is a share such as 60%",
        ),
        (
            ("score", TIMELINE, "--tasks", TIMELINE, *KEPT, "--draws", "3"),
            "--draws 3 needs a temperature above 0",
        ),
        (("report", FIXTURE), "run.json: cannot be read: No such file"),
    ],
)
def test_bad_input_ends_with_what_is_wrong(typed, said, tmp_path):
    done = run("users", *typed, "--out", tmp_path)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_from_corpus_and_import_write_timelines(tmp_path):
    readers = tmp_path / "readers.jsonl"
    readers.write_text('{"reader": "R1", "history": ["A clicked title"]}\n', encoding="utf-8")
    done = run("users", "from-corpus", ROOT / "fixtures" / "demo" / "corpus.jsonl", "--readers", readers)
    first = json.loads(done.stdout.splitlines()[0])
    assert (first["user"], first["activities"][0]["name"]) == ("R1", "A clicked title")
    assert len(done.stdout.splitlines()) == 5
    readers.write_text('{"reader": "nobody", "history": ["A title"]}\n', encoding="utf-8")
    strange = run("users", "from-corpus", ROOT / "fixtures" / "demo" / "corpus.jsonl", "--readers", readers)
    assert (strange.returncode, "is this the right file?" in strange.stderr) == (2, True)
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("userId,movieId,rating,timestamp\n1,10,3.5,100\n", encoding="utf-8")
    assert json.loads(run("users", "import", "movielens", ratings, "--least", 1).stdout)["user"] == "1"
