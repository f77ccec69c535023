"""The command that says what a survey will buy before it is launched."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.cli.inputs import read_corpus, read_rating_file
from meta_eval.cli.options import FormatOption, HighestOption, LowestOption, OutOption, SeedOption, finite
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.ratings.rating import HIGHEST, LOWEST, Ends
from meta_eval.stats.raters.power import simulate_power
from meta_eval.stats.raters.precision import Assumptions, estimate_assumptions, simulate_precision

_GIVEN = Assumptions()


def plan(
    systems: Annotated[int, typer.Option(help="Systems to be rated, at least 3.")],
    documents: Annotated[int, typer.Option(min=1, help="Documents to be rated.")],
    reader_pairs: Annotated[int, typer.Option(min=1, help="Reader pairs of each document.")] = 1,
    raters: Annotated[int, typer.Option(min=1, help="Raters of each pair.")] = 2,
    correlation: Annotated[
        float, typer.Option(help="True correlation of the measure with people.", callback=finite)
    ] = _GIVEN.correlation,
    other: Annotated[
        float, typer.Option(help="That of a second measure, to be told from the first.", callback=finite)
    ] = _GIVEN.other,
    between: Annotated[
        float | None,
        typer.Option(help="That of the two measures with each other. [default: the product of theirs]"),
    ] = None,
    system_sd: Annotated[
        float, typer.Option(help="How far systems differ, in scale points.", callback=finite)
    ] = _GIVEN.system_sd,
    interaction_sd: Annotated[
        float, typer.Option(help="How far a document and reader pair changes a system.", callback=finite)
    ] = _GIVEN.interaction_sd,
    error_sd: Annotated[
        float, typer.Option(help="How far a single rating strays.", callback=finite)
    ] = _GIVEN.error_sd,
    pilot: Annotated[
        Path | None,
        typer.Option(metavar="RATINGS", help="Take the three standard deviations from these ratings."),
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(metavar="CORPUS.jsonl", help="What the ratings of --pilot are of.")
    ] = None,
    lowest: LowestOption = LOWEST,
    highest: HighestOption = HIGHEST,
    alpha: Annotated[float, typer.Option(min=0.0, max=1.0, help="A p of at most this is a finding.")] = 0.05,
    surveys: Annotated[int, typer.Option(min=50, help="Surveys simulated for the power.")] = 1_000,
    seed: SeedOption = 0,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Say how wide a coefficient's range will be, and how likely it is found, with so many documents."""
    if (pilot is None) != (corpus is None):
        raise InputError("--pilot and --corpus belong together: ratings are read beside their corpus")
    if pilot is not None and corpus is not None:
        ratings = read_rating_file(pilot, read_corpus(corpus), Ends(lowest, highest))
        assumed = estimate_assumptions(ratings, correlation=correlation, other=other, between=between)
    else:
        assumed = Assumptions(system_sd, interaction_sd, error_sd, correlation, other, between)
    size = {"systems": systems, "documents": documents, "reader_pairs": reader_pairs, "raters": raters}
    precision = simulate_precision(assumed, **size, seed=seed)
    power = simulate_power(assumed, **size, alpha=alpha, seed=seed, surveys=surveys)
    records = [
        {
            "coefficient": name,
            **asdict(expected),
            "power": power[name].coefficient,
            "power_difference": power[name].difference,
            "alpha": alpha,
            **size,
            **asdict(assumed),
            "between": assumed.shared,
        }
        for name, expected in precision.items()
    ]
    write_text(render_records(records, form), out)
