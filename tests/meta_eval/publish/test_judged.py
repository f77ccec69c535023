"""PerSE as a measure in a report: apart from every other number, in every form, sealed and replayed."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.publish.bundle import verify_bundle, write_bundle
from meta_eval.publish.judged_tables import JUDGED_TABLES
from meta_eval.publish.latex import latex_document
from meta_eval.publish.long_form import report_json
from meta_eval.publish.making import make_report
from meta_eval.publish.methods import cited_works, details_in_words
from meta_eval.publish.pdf import write_pdf
from meta_eval.publish.tables import column_meaning, report_tables
from meta_eval.ratings.table import RatingTable
from meta_eval.report.schema import read_report, report_record
from meta_eval.report.tables.judged import UNCONTROLLED, control_sentence, lay_out_judged
from meta_eval.report.tables.scores import lay_out_accuracies
from meta_eval.report.view import choose_view
from meta_eval.scores.contributions import score_contributions
from meta_eval.stats.coefficients.correlation import correlate
from tests.meta_eval.judged_runs import make_run, plans
from tests.meta_eval.model_ratings import FEW, make_study
from tests.meta_eval.publish.bundle.test_bundle import changed

STUDY = make_study()
FEWER = replace(FEW, resamples=40, agreement_resamples=40, shuffles=20, splits=4, simulations=4)
HISTORIES = {"a": ("Rain in spring",), "nobody": ("Never shown",)}


def of_prompt(prompt):
    """A score that differs from text to text, whoever reads."""
    return 1 + sum(map(ord, prompt)) % 10


def make(judge):
    corpus, people, _ = STUDY
    table = RatingTable(people, [{} for _ in people])
    asked = {"measures": ["jsd"], "surrogates": ["rouge-l"], "scale": "similarity", "inference": FEWER}
    return make_report(corpus, table, **asked, judge=judge)


@pytest.fixture(scope="module")
def run():
    return make_run(STUDY[0], of_prompt, plans(documents=15), HISTORIES)


@pytest.fixture(scope="module")
def made(run):
    return make(run)


@pytest.fixture(scope="module")
def plain():
    """The same report without a judge."""
    return make(None)


def sealed(made, **options):
    stream = io.BytesIO()
    write_bundle(stream, made.content().bundle(), **options)
    return stream


def study_of(made):
    return made.report.inference.judged


def test_no_other_number_of_a_report_rests_on_the_judge(made, plain):
    with_judge, without = (report_record(one.report) for one in (made, plain))
    found = with_judge["inference"].pop("judged")
    for section in ("leaderboard", "signatures"):
        with_judge[section] = [row for row in with_judge[section] if row["side"] != "judged"]
    assert with_judge == without
    assert "judged" not in without["inference"]
    assert (found["judge"], found["answered"]) == ("rule", found["questions"])


def test_systems_have_the_scores_of_the_run_with_rank_and_interval(made, run):
    scores = {(one.measure, one.system): one for one in run.judged[0].scores}
    rows = {(row.measure, row.system): row for row in study_of(made).systems}
    assert rows.keys() == scores.keys()
    for key, row in rows.items():
        assert row.estimate == pytest.approx(scores[key].accuracy, abs=1e-12)
        assert row.documents == len(scores[key].by_document) == 15
        assert row.ci_low <= row.estimate <= row.ci_high
    assert rows["perse-own", "S0"].estimate == 0.0
    best = max(scores, key=lambda key: (key[0] == "perse", scores[key].accuracy))
    assert rows[best].rank == 1
    board = [row for row in made.report.leaderboard if row.side == "judged"]
    assert {(row.measure, row.system, row.score): row.value for row in board} == {
        (*key, "accuracy"): row.estimate for key, row in rows.items()
    }


def test_correlations_are_of_accuracy_with_people_beside_that_of_each_measure(made, run):
    """The measure's is over the fifteen documents that the judge was asked about."""
    leaderboard = {
        (row.side, row.measure, row.score, row.system): row.value for row in made.report.leaderboard
    }
    asked = {document for document, *_ in run.judged[0].said}
    few = Corpus(tuple(one for one in STUDY[0].documents if one.id in asked))
    over_few = score_contributions(compute_distances(few, make_measure("jsd"))).system_scores()
    changed = [
        name for name, score in over_few.items()
        if abs(score.accuracy - leaderboard["automatic", "jsd", "accuracy", name]) > 0.001
    ]  # fmt: skip
    assert changed == sorted(over_few)
    leaderboard |= {("automatic", "jsd", "accuracy", name): one.accuracy for name, one in over_few.items()}
    sides = {"perse": "judged", "perse-own": "judged", "jsd": "automatic"}
    rows = study_of(made).correlations
    assert {(row.human, row.measure, row.automatic) for row in rows} == {
        (human, measure, "accuracy") for human in ("degress_hj", "perseval_hj") for measure in sides
    }
    systems = ("S0", "S1", "S2", "S3")
    for row in rows:
        people = [leaderboard["human", "rouge-l", row.human, name] for name in systems]
        machine = [leaderboard[sides[row.measure], row.measure, "accuracy", name] for name in systems]
        assert row.estimate == pytest.approx(correlate(people, machine, row.coefficient).estimate, abs=1e-9)
        assert (row.shared, row.ci_over) == (None, "documents")
    assert {(row.score, row.measure) for row in study_of(made).ranking} == {
        (human, measure) for human in ("degress_hj", "perseval_hj") for measure in sides
    }


def test_every_form_shows_the_judge_and_the_json_reads_back(made):
    report = made.report
    assert read_report(json.loads(report_json(report))) == report
    view = choose_view(report, {})
    grids = {grid.name: grid for grid in lay_out_judged(report, view)}
    assert list(grids) == ["judged_systems", "judged_agreement"]
    for line in grids["judged_systems"].lines:
        rows = [row for row in study_of(made).systems if row.system == line.key]
        assert line.cells[-1] == str(rows[0].documents)
        assert {row.documents for row in rows} == {rows[0].documents}
    assert [line.heads[0] for line in grids["judged_agreement"].lines] == [
        "PerSE",
        "PerSE, own profile less others'",
        "Jensen-Shannon",
    ]
    assert [column.group for column in lay_out_accuracies(report, ["accuracy"]).columns] == [
        "Automatic",
        "Judge",
        "Judge",
    ]
    tables = {table.name: table for table in report_tables(report)}
    assert set(JUDGED_TABLES) <= set(tables)
    for name in JUDGED_TABLES:
        assert all(column_meaning(name, column) for column in tables[name].columns)
    latex = latex_document(report)
    assert all(f"tab:{name}" in latex for name in grids)
    assert "wang2024perse" in cited_works(report)
    assert "judged single summaries in readers' places" in " ".join(details_in_words(report))
    stream = io.BytesIO()
    write_pdf(stream, report)
    assert stream.getvalue().startswith(b"%PDF")


def test_nothing_of_it_is_in_a_report_that_was_not_asked_for_a_judge(plain):
    report = plain.report
    assert lay_out_judged(report, choose_view(report, {})) == []
    assert {table.name for table in report_tables(report)}.isdisjoint(JUDGED_TABLES)
    assert "wang2024perse" not in cited_works(report)


def test_the_report_says_whether_the_judge_is_personal(made):
    deaf = study_of(made)
    assert deaf.control.personal is False
    assert control_sentence(deaf).startswith("These documents do not show that perse-own is higher under")
    alone = study_of(make(make_run(STUDY[0], of_prompt, plans(documents=4)[:1])))
    assert alone.control is None
    assert control_sentence(alone) == UNCONTROLLED
    assert {row.ci_reason for row in alone.systems} == {"4 documents; an interval needs at least 10"}


def test_a_bundle_holds_the_replies_and_verify_makes_the_judgments_again(made):
    stream = sealed(made)
    found = verify_bundle(stream)
    assert (found.is_sound, found.differences) == (True, ())
    assert [one.path for one in found.not_recomputed if "judged" in one.path] == []
    with zipfile.ZipFile(stream) as archive:
        replies = archive.read("judge-replies.jsonl").decode().splitlines()
    assert len(replies) == len(made.judge.reply_lines()) > 50


def test_a_reply_that_somebody_changed_is_found(made):
    first = next(row for row in made.judge.judgments() if not row["shuffled"])
    said = (
        made.judge.judged[0]
        .said[first["doc_id"], first["system"], first["reader"], first["profile_of"]]
        .answers[0]
        .text
    )
    other = said.replace(f'"score": {first["score"]:g}', f'"score": {11 - first["score"]:g}')

    def change(text):
        lines = text.splitlines(keepends=True)
        old, new = json.dumps(said), json.dumps(other)
        place = next(at for at, line in enumerate(lines) if old in line)
        lines[place] = lines[place].replace(old, new)
        return "".join(lines)

    resealed = verify_bundle(changed(sealed(made), "judge-replies.jsonl", change, reseal=True))
    assert (resealed.files, resealed.is_sound) == ((), False)
    paths = [one.path for one in resealed.differences]
    assert paths[0].removesuffix("].score").startswith("judgments.csv[")
    assert any(path.startswith("inference.judged.") for path in paths)
    assert any(path.startswith("leaderboard[") and "judged" in path for path in paths)


def test_a_judgment_that_somebody_changed_is_found(made):
    def change(text):
        head, first, *rest = text.splitlines()
        cells = first.split(",")
        cells[5] = "99.0"
        return "\n".join([head, ",".join(cells), *rest]) + "\n"

    found = verify_bundle(changed(sealed(made), "judgments.csv", change, reseal=True))
    assert [(one.path.partition("[")[0], one.stored) for one in found.differences] == [
        ("judgments.csv", "99.0")
    ]


def forged_row(text):
    """A row of another score before the true one."""
    head, first, *rest = text.splitlines()
    cells = first.split(",")
    cells[5] = "99.0"
    return "\n".join([head, ",".join(cells), first, *rest]) + "\n"


def unused_reply(text):
    return text + '{"id": "never asked", "text": "9", "finish": "stop"}\n'


def other_attempts(text):
    own, control = json.loads(text)
    control["asking"]["attempts"] += 1
    return json.dumps([own, control])


def other_prompt(text):
    return json.dumps([{**record, "prompt_digest": "0" * 64} for record in json.loads(text)])


@pytest.mark.parametrize(
    ("file", "change", "paths"),
    [
        ("judgments.csv", forged_row, ["judgments.csv[d02, S0, a, a, false]"]),
        ("judge-replies.jsonl", unused_reply, ["judge-replies.jsonl[line {next}]"]),
        ("judge.json", other_attempts, ["judge.json[1].asking.attempts"]),
        (
            "judge.json",
            other_prompt,
            [f"inference.judged.signatures.{name}.options.prompt_digest" for name in ("perse", "perse-own")],
        ),
    ],
)
def test_what_was_slipped_into_the_files_of_a_judge_is_found(file, change, paths, made):
    after = len(made.judge.reply_lines()) + 1
    found = verify_bundle(changed(sealed(made), file, change, reseal=True))
    assert found.files == ()
    assert [one.path for one in found.differences] == [path.format(next=after) for path in paths]


@pytest.mark.parametrize("file", ["judge.json", "judge-replies.jsonl", "judgments.csv"])
def test_a_file_of_the_judge_that_somebody_took_is_missed(file, made):
    stream = io.BytesIO()
    with zipfile.ZipFile(sealed(made)) as whole, zipfile.ZipFile(stream, "w") as part:
        for name in whole.namelist():
            if name != file:
                part.writestr(name, whole.read(name))
    found = verify_bundle(changed(stream, "MANIFEST.json", str, reseal=True))
    assert [(one.file, one.problem) for one in found.files] == [
        (file, "is missing, and the report rests on it")
    ]


def test_a_bundle_of_hashes_holds_no_reply_and_names_what_is_open(made):
    found = verify_bundle(sealed(made, share_texts=False), corpus=STUDY[0])
    assert (found.files, found.differences) == ((), ())
    why = {one.why for one in found.not_recomputed if "judged" in one.path}
    assert why == {
        "the bundle holds no reply of the judge; one of hashes has none, since replies quote the texts"
    }


def test_a_bundle_tells_what_readers_read_of_those_alone_who_were_shown(made):
    asking = made.judge.as_records()[0]["asking"]
    assert asking["histories"] == {"a": ["Rain in spring"]}
    assert "url" not in asking["options"]


def test_a_judge_of_another_prompt_costs_its_part_alone(run):
    older = replace(run, prompt_digest="0" * 64)
    report = make(older).report
    (problem,) = report.inference.problems
    assert (problem.part, problem.failed, report.inference.judged) == ("judged", False, None)
    assert "asked with another prompt (0000000000000000)" in problem.reason
    with pytest.raises(InputError, match="another prompt"):
        _ = older.judged
