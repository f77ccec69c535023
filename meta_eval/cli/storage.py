"""Commands on distances: kept ones, and the three CSV files in which others keep them."""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import open_store, parse_measures, read_corpus
from meta_eval.cli.options import (
    AlphaOption,
    BetaOption,
    CorpusFile,
    FormatOption,
    GammaOption,
    MeasureOption,
    ModeOption,
    NormaliseOption,
    OutOption,
    PAccAlphaOption,
    PAccBetaOption,
    PreprocessOption,
    StoreOption,
    SystemOption,
    TokeniserOption,
    finite,
    folder_place,
)
from meta_eval.cli.records import with_signature_line
from meta_eval.cli.scores import measure_distances
from meta_eval.distances.csv import read_distances, readers_of, write_distances
from meta_eval.distances.given import COLUMNS, pairs_to_compare
from meta_eval.distances.store.upkeep import clean_store, store_info
from meta_eval.files.cells import csv_text
from meta_eval.files.writing import render_records, write_text
from meta_eval.scores.automatic import AutomaticScores
from meta_eval.scores.contributions import ScoreOptions, require_scores, score_contributions
from meta_eval.scores.penalties import P_ACC, AccuracyPenalty
from meta_eval.scores.perseval import DEFAULT_ALPHA, DEFAULT_BETA, DEFAULT_GAMMA, PenaltyOptions

MEGABYTE = 1_000_000
MOST_HOURS = 1_000_000
"""More than a century, and still a date."""

distances = typer.Typer(help="Distances as the three CSV files per measure and system.", no_args_is_help=True)
store = typer.Typer(help="A store of distances: what it holds, and cleaning it up.", no_args_is_help=True)
StoreUrl = Annotated[str, typer.Argument(metavar="URL", help="Folder or URL of the store.")]
FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder with one folder per system.")]


@distances.command("export")
def export_distances(
    corpus_file: CorpusFile,
    measure: MeasureOption,
    folder: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="One folder per measure is made in it.",
            callback=folder_place,
        ),
    ],
    system: SystemOption = None,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    store: StoreOption = None,
) -> None:
    """Write all distances as CSV files, to take them elsewhere."""
    measures = parse_measures(measure, mode, preprocess, tokeniser)
    corpus, kept = read_corpus(corpus_file), open_store(store)
    for one in measures:
        table = measure_distances(corpus, one, systems=system, normalise=normalise, store=kept)
        write_distances(table, readers_of(corpus), folder / one.id)


@distances.command("pairs")
def export_pairs(
    corpus_file: CorpusFile,
    out: OutOption = None,
) -> None:
    """Write each pair of texts that scores ask for once, as CSV, for another tool to add the distances."""
    pairs = pairs_to_compare(read_corpus(corpus_file))
    write_text(csv_text([COLUMNS, *((*pair, "") for pair in pairs)]), out)


@distances.command("import")
def import_distances(
    folder: FolderArgument,
    normalise: NormaliseOption = "document",
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="A distance in one direction stands for both.")
    ] = False,
    alpha: AlphaOption = DEFAULT_ALPHA,
    beta: BetaOption = DEFAULT_BETA,
    gamma: GammaOption = DEFAULT_GAMMA,
    p_acc_alpha: PAccAlphaOption = P_ACC.alpha,
    p_acc_beta: PAccBetaOption = P_ACC.beta,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Score distances that others computed, without any text."""
    found = read_distances(folder, normalise=normalise, symmetric=symmetric)
    options = ScoreOptions(PenaltyOptions(alpha, beta, gamma), p_acc=AccuracyPenalty(p_acc_alpha, p_acc_beta))
    scores = AutomaticScores(require_scores(score_contributions(found.table, options)), found.table, options)
    write_text(render_records(list(map(with_signature_line, scores.records())), form), out)


@store.command("info")
def show_store(url: StoreUrl, form: FormatOption = "json", out: OutOption = None) -> None:
    """List the measures whose distances are kept, with their size and last use."""
    records = [
        {
            "digest": one.digest,
            "signature": one.text,
            "parts": one.parts,
            "bytes": one.bytes,
            "damaged": one.damaged,
            "last_used": None if one.last_used is None else one.last_used.isoformat(),
        }
        for one in store_info(url).signatures
    ]
    write_text(render_records(records, form), out)


@store.command("clean")
def shrink_store(
    url: StoreUrl,
    max_megabytes: Annotated[
        float, typer.Option(min=0, help="Size to come down to, in megabytes (10^6 bytes).", callback=finite)
    ],
    keep_hours: Annotated[
        float,
        typer.Option(min=0, max=MOST_HOURS, help="Keep what was used within so many hours.", callback=finite),
    ] = 1.0,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Remove the distances used least recently until the store is small enough."""
    cleaned = clean_store(
        url,
        max_bytes=int(max_megabytes * MEGABYTE),
        now=datetime.now(UTC),
        keep_used_within=timedelta(hours=keep_hours),
    )
    write_text(render_records([asdict(cleaned)], form), out)
