"""The command that sets automatic against human scores: how well they agree, and how sure that is."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from meta_eval.cli.options import (
    AdjustOption,
    AutomaticFile,
    FamilyOption,
    FormatOption,
    HumanFile,
    JudgedOption,
    OneCoefficient,
    OutOption,
    SeedOption,
    plain,
)
from meta_eval.cli.records import NO_RATINGS, note_no_null, read_records, signature_lines, with_judged
from meta_eval.files.writing import render_records, write_text
from meta_eval.report.reliability import (
    AUTOMATIC,
    HUMAN,
    correlate_records,
    infer_records,
    shared_settings,
)
from meta_eval.report.within import WITHIN_FIELDS, add_within_families
from meta_eval.scores.names import COMPARED, TWINS
from meta_eval.stats.coefficients.families import LEAST_IN_A_FAMILY, members_of, parse_families, too_few
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.table.resampled import INTERVALS


def correlate(
    human_file: HumanFile,
    automatic_file: AutomaticFile,
    resamples: Annotated[
        int | None, typer.Option(min=1, help="Add intervals and p-values; resamples of those that resample.")
    ] = None,
    coefficient: Annotated[
        list[OneCoefficient] | None,
        typer.Option(
            help=f"Only this coefficient; may be repeated. [default: {', '.join(COEFFICIENTS)}]",
        ),
    ] = None,
    interval: Annotated[
        Literal["auto", "fisher", "bca", "percentile"],
        typer.Option(help="auto: for each coefficient the one that holds best."),
    ] = "auto",
    adjust: AdjustOption = "holm",
    family: FamilyOption = None,
    judged: JudgedOption = None,
    seed: SeedOption = 0,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Correlate human with automatic scores over systems, each coefficient with its n and how sure it is."""
    people = read_records(human_file, "surrogate")
    machine = with_judged(read_records(automatic_file, "measure"), judged)
    compared = COMPARED if all("accuracy" in record for record in machine) else TWINS
    settings = shared_settings({HUMAN: people, AUTOMATIC: machine})
    families = parse_families(family or [], sorted({row["system"] for row in people if "system" in row}))
    chosen = plain(coefficient or COEFFICIENTS)

    def records_of(systems: Sequence[str] | None) -> list[dict[str, Any]]:
        sides = [
            [record for record in side if systems is None or record.get("system") in systems]
            for side in (people, machine)
        ]
        if resamples is None:
            return correlate_records(*sides, coefficients=chosen, compared=compared)
        return infer_records(
            *sides,
            seed=seed,
            resamples=resamples,
            coefficients=chosen,
            compared=compared,
            intervals=INTERVALS["systems"] if interval == "auto" else dict.fromkeys(chosen, interval),
            adjustment=adjust,
        )

    records = records_of(None)
    if families:
        systems = list(families)
        pooled = add_within_families(records, people, machine, families=families, seed=seed)
        records = [{"family": None, **record} for record in pooled] + [
            {"family": name, **_require_enough(record), **dict.fromkeys(WITHIN_FIELDS)}
            for name, rows in members_of(families, systems).items()
            for record in records_of([systems[row] for row in rows])
        ]
    limits = dict.fromkeys(record["ci_limits"] for record in records if record.get("ci_limits"))
    sys.stderr.writelines(f"note: {limit}\n" for limit in limits)
    note_no_null(records, NO_RATINGS)
    sys.stderr.writelines(f"signature: {line}\n" for line in signature_lines(people, machine))
    write_text(render_records([{**record, **settings} for record in records], form), out)


def _require_enough(record: dict[str, Any]) -> dict[str, Any]:
    """The record of a family, or in place of its numbers why so few systems give none."""
    if record["n"] >= LEAST_IN_A_FAMILY:
        return record
    numbers = ("estimate", "ci_low", "ci_high", "p_value", "p_adjusted")
    nothing = dict.fromkeys(name for name in numbers if name in record)
    return {
        **record,
        **nothing,
        **{name: too_few(record["n"]) for name in ("reason", "ci_reason") if name in record},
    }
