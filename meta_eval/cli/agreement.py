"""The command that sets automatic against human scores: how well they agree, and how sure that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from meta_eval.cli.inputs import (
    open_store,
    read_corpus,
    read_rating_file,
)
from meta_eval.cli.options import (
    AutomaticFile,
    Format,
    FormatOption,
    HumanFile,
    OutOption,
    SeedOption,
    StoreOption,
)
from meta_eval.cli.rebuilding import rebuild_automatic, rebuild_human
from meta_eval.cli.records import read_records
from meta_eval.cli.resampling import (
    AdjustmentName,
    AdjustOption,
    CoefficientName,
    RatedSides,
    RatingsOption,
    ResampledName,
    ResampledOption,
)
from meta_eval.errors import InputError
from meta_eval.files.writing import render_records, write_text
from meta_eval.report.inference.robustness import correlate_families, require_enough
from meta_eval.report.inference.table import JointTable, TableDesign
from meta_eval.report.reliability import (
    AUTOMATIC,
    HUMAN,
    correlate_records,
    infer_records,
    shared_settings,
)
from meta_eval.stats.coefficients.families import members_of, parse_families
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.table.resampled import INTERVALS, Intervals


class IntervalName(StrEnum):
    auto = "auto"
    fisher = "fisher"
    bca = "bca"
    percentile = "percentile"


PLAIN = tuple(CoefficientName(name) for name in COEFFICIENTS)


def correlate(
    human_file: HumanFile,
    automatic_file: AutomaticFile,
    resamples: Annotated[
        int | None, typer.Option(min=1, help="Add intervals and p-values; resamples of those that resample.")
    ] = None,
    resampled: ResampledOption = ResampledName.systems,
    corpus: Annotated[
        Path | None,
        typer.Option(metavar="CORPUS.jsonl", help="Texts that both files were made from, to resample them."),
    ] = None,
    ratings: RatingsOption = None,
    coefficient: Annotated[
        list[CoefficientName] | None,
        typer.Option(help="Only this coefficient; may be repeated. [default: pearson, spearman, kendall]"),
    ] = None,
    interval: Annotated[
        IntervalName, typer.Option(help="auto: for each coefficient the one that holds best.")
    ] = IntervalName.auto,
    adjust: AdjustOption = AdjustmentName.holm,
    family: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=SYSTEM,...",
            help="Correlate within this family of systems, too. May be repeated; the rest is one more.",
        ),
    ] = None,
    seed: SeedOption = 0,
    store: StoreOption = None,
    form: FormatOption = Format.json,
    out: OutOption = None,
) -> None:
    """Correlate human with automatic scores over systems, each coefficient with its n and how sure it is."""
    people, machine = read_records(human_file, "surrogate"), read_records(automatic_file, "measure")
    settings = shared_settings({HUMAN: people, AUTOMATIC: machine})
    asked = _Asked(
        tuple(name.value for name in coefficient or PLAIN),
        None if interval == IntervalName.auto else interval.value,
        adjust.value,
        seed,
    )
    families = parse_families(family or [], _systems(people))
    if resampled == ResampledName.systems:
        records = _from_scores(people, machine, asked, resamples, families)
    else:
        if resamples is None:
            raise InputError(f"--resampled {resampled.value!r} needs --resamples N")
        sides = _read_sides(people, machine, corpus, ratings, store)
        records = _from_documents(sides, asked, resampled, resamples, families)
    write_text(render_records([{**record, **settings} for record in records], form.value), out)


@dataclass(frozen=True, slots=True)
class _Asked:
    """`interval` None: the one that holds best for each coefficient."""

    coefficients: tuple[Coefficient, ...]
    interval: Any
    adjustment: Any
    seed: int

    def intervals(self, resampled: ResampledName) -> Intervals:
        if self.interval is None:
            return INTERVALS[resampled.value]
        if self.interval == "fisher" and resampled != ResampledName.systems:
            raise InputError("Fisher's interval is about other systems; take bca or percentile")
        return dict.fromkeys(self.coefficients, self.interval)


def _systems(people: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({record["system"] for record in people if "system" in record})


def _from_scores(
    people: Sequence[Mapping[str, Any]],
    machine: Sequence[Mapping[str, Any]],
    asked: _Asked,
    resamples: int | None,
    families: Mapping[str, str],
) -> list[dict[str, Any]]:
    """From the systems' scores alone: all systems, then each family."""

    def records(systems: Sequence[str] | None) -> list[dict[str, Any]]:
        sides = [
            [record for record in side if systems is None or record.get("system") in systems]
            for side in (people, machine)
        ]
        if resamples is None:
            return correlate_records(*sides, coefficients=asked.coefficients)
        return infer_records(
            *sides,
            seed=asked.seed,
            resamples=resamples,
            coefficients=asked.coefficients,
            intervals=asked.intervals(ResampledName.systems),
            adjustment=asked.adjustment,
        )

    if not families:
        return records(None)
    names = list(families)
    members = {name: [names[row] for row in rows] for name, rows in members_of(families, names).items()}
    within = [
        {"family": name, **require_enough(record)} for name in members for record in records(members[name])
    ]
    return [*({"family": None, **record} for record in records(None)), *within]


def _read_sides(
    people: Sequence[Mapping[str, Any]],
    machine: Sequence[Mapping[str, Any]],
    corpus_file: Path | None,
    ratings_file: Path | None,
    store: str | None,
) -> RatedSides:
    if corpus_file is None or ratings_file is None:
        raise InputError(
            "scores of systems alone can only say how sure they are about other systems: "
            "give --corpus and --ratings, or --resampled systems"
        )
    corpus, kept = read_corpus(corpus_file), open_store(store)
    ratings = read_rating_file(ratings_file, corpus)
    human = rebuild_human(people, corpus, ratings, kept)
    automatic = rebuild_automatic(machine, corpus, kept)
    return RatedSides({name: made.contributions for name, made in automatic.items()}, human, corpus, ratings)


def _from_documents(
    sides: RatedSides,
    asked: _Asked,
    resampled: ResampledName,
    resamples: int,
    families: Mapping[str, str],
) -> list[dict[str, Any]]:
    table = JointTable.resample(
        sides.automatic,
        sides.human,
        rng=np.random.default_rng(asked.seed),
        design=TableDesign(
            resampled=resampled.value,
            resamples=resamples,
            level=0.95,
            adjustment=asked.adjustment,
            coefficients=asked.coefficients,
            chosen=asked.intervals(resampled),
        ),
        raters=sides.raters(asked.seed, resamples),
    )
    cells = [_without_shared(cell) for cell in table.cells()]
    if not families:
        return cells
    own = np.random.default_rng((asked.seed, 2))
    within = [_without_shared(cell) for cell in correlate_families(table, families, rng=own)]
    return [
        *({"family": None, **cell} for cell in cells),
        *({name: value for name, value in cell.items() if name != "systems"} for cell in within),
    ]


def _without_shared(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in cell.items() if name != "shared_input"}
