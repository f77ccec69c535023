"""Commands of UserSumBench: `users`, with what needs no model here, and what asks one in `users_asking`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import read_corpus, read_histories
from meta_eval.cli.options import CorpusFile, FormatOption, OutOption, SeedOption, file_place, folder_place
from meta_eval.cli.users_asking import FutureOption, TimelineFile, score, summarise
from meta_eval.corpus.readers import histories_of
from meta_eval.files.writing import render_records, write_text
from meta_eval.studies.users.agreement import agree_with_people, read_labels
from meta_eval.studies.users.comparing import FEW_USERS, RESAMPLES, Resampling, compare_approaches
from meta_eval.studies.users.datasets import DataSet, corpus_timelines, read_data_set
from meta_eval.studies.users.results import read_results
from meta_eval.studies.users.tasks import MOST_OPTIONS, OPTIONS, make_tasks, task_lines
from meta_eval.studies.users.timelines import FUTURE, Timeline, read_timelines, timeline_lines

users = typer.Typer(
    help="UserSumBench: summaries of users, judged by what they predict.", no_args_is_help=True
)

ResultsFolder = Annotated[
    Path, typer.Argument(metavar="RESULTS", help="The folder that `users score` wrote.")
]
ResamplesOption = Annotated[int, typer.Option(min=100, help="Resamples of users for each interval.")]
LinesOut = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write the lines here instead of stdout.", callback=file_place
    ),
]


@users.command("import")
def import_timelines(
    kind: Annotated[DataSet, typer.Argument(metavar="movielens|amazon|yelp", help="Whose files they are.")],
    activities: Annotated[
        Path, typer.Argument(metavar="ACTIVITIES", help="ratings.csv, the reviews, or review.json.")
    ],
    items: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="movies.csv, the metadata, or business.json: names, attributes."),
    ] = None,
    least: Annotated[int, typer.Option(min=1, help="Leave out users with fewer activities.")] = 10,
    most: Annotated[int | None, typer.Option(min=1, help="Only so many users, the first ones.")] = None,
    out: LinesOut = None,
) -> None:
    """Turn the files of MovieLens, Amazon Reviews or Yelp into timelines."""
    _write_timelines(read_data_set(kind, activities, items, least=least, most=most), out)


@users.command("from-corpus")
def from_corpus(
    corpus_file: CorpusFile,
    readers: Annotated[
        Path,
        typer.Option(metavar="FILE", help='Lines {"reader", "history"}: titles that each reader clicked.'),
    ],
    out: LinesOut = None,
) -> None:
    """Turn a corpus' readers into timelines: what they clicked, then what they wrote headlines for."""
    corpus = read_corpus(corpus_file)
    _write_timelines(corpus_timelines(corpus, histories_of(read_histories(readers, corpus))), out)


@users.command("tasks")
def tasks(
    timeline_file: TimelineFile,
    future: FutureOption = FUTURE,
    options: Annotated[int, typer.Option(min=2, max=MOST_OPTIONS, help="Options of a task.")] = OPTIONS,
    seed: SeedOption = 0,
    out: LinesOut = None,
) -> None:
    """Make tasks about each user's last activities, once for all approaches."""
    made = make_tasks(read_timelines(timeline_file), future=future, options=options, seed=seed)
    asked = len({task.user for task in made.tasks})
    chance = sum(task.chance for task in made.tasks) / len(made.tasks)
    sys.stderr.write(f"{len(made.tasks):,} tasks of {asked:,} users; guessing answers {chance:.3f} of them\n")
    for reason, count in made.left_out.items():
        sys.stderr.write(f"note: {count:,} {reason}: no task\n")
    write_text("".join(task_lines(made.tasks)), out)


users.command("summarise")(summarise)
users.command("score")(score)


@users.command("agree")
def agree(
    results: ResultsFolder,
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS.csv", help="CSV: user, approach, rater, label (good or bad).")
    ],
    resamples: ResamplesOption = RESAMPLES,
    seed: SeedOption = 0,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Say how often the metric calls good what people call good: MAA, with kappa beside it."""
    found = read_results(results)
    records = agree_with_people(
        found.qualities, read_labels(labels), resampling=Resampling(resamples=resamples, seed=seed)
    )
    for record in records:
        for reason, count in record["left_out"].items():
            sys.stderr.write(f"note: {record['approach']}: {count:,} {reason}\n")
    write_text(render_records(records, form), out)


@users.command("compare")
def compare(
    results: ResultsFolder,
    resamples: ResamplesOption = RESAMPLES,
    seed: SeedOption = 0,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Set every two approaches beside each other on the same users, with paired intervals and p."""
    found = read_results(results)
    records = compare_approaches(
        found.qualities, limit=found.limit, resampling=Resampling(resamples=resamples, seed=seed)
    )
    fewest = min(record["users"] for record in records)
    if fewest < FEW_USERS:
        sys.stderr.write(
            f"note: {fewest} users on both sides; intervals of fewer than {FEW_USERS} are rough\n"
        )
    write_text(render_records(records, form), out)


@users.command("report")
def report(
    results: ResultsFolder,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FOLDER", help="Where the files go.", callback=folder_place),
    ],
    labels: Annotated[
        Path | None, typer.Option(metavar="LABELS.csv", help="People's labels, for the part on agreement.")
    ] = None,
    trail: Annotated[
        list[Path] | None,
        typer.Option(metavar="TRAIL.jsonl", help="How summaries came about. May be repeated."),
    ] = None,
    title: Annotated[str, typer.Option(help="What stands above it.")] = "Summaries of users",
    resamples: ResamplesOption = RESAMPLES,
    seed: SeedOption = 0,
) -> None:
    """Make the report: report.html, and report.pdf that a screen reader can follow."""
    from meta_eval.publish.users_report import REPORT_FILES, make_report

    made = make_report(
        read_results(results),
        title=title,
        labels=None if labels is None else read_labels(labels),
        trails=trail or (),
        resampling=Resampling(resamples=resamples, seed=seed),
    )
    from meta_eval.files.writing import write_bytes

    for name, data in zip(REPORT_FILES, made, strict=True):
        write_bytes(data, out / name)


def _write_timelines(timelines: tuple[Timeline, ...], out: Path | None) -> None:
    done = sum(len(timeline.activities) for timeline in timelines)
    sys.stderr.write(f"{len(timelines):,} users, {done:,} activities\n")
    write_text("".join(timeline_lines(timelines)), out)
