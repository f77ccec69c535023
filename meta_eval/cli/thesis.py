"""Commands for the EGISES thesis' studies over pairs of readers."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from meta_eval.cli.inputs import open_store, parse_measures, progress_bar, read_corpus
from meta_eval.cli.options import (
    CorpusFile,
    FormatOption,
    MeasureOption,
    ModeOption,
    NormaliseOption,
    OutOption,
    PAccAlphaOption,
    PAccBetaOption,
    PreprocessOption,
    SeedOption,
    StoreOption,
    SystemOption,
    TokeniserOption,
    file_place,
)
from meta_eval.cli.scores import measure_distances
from meta_eval.distances.computing import DistanceTable
from meta_eval.errors import InputError
from meta_eval.files.writing import Format, render_records, write_text
from meta_eval.measures import Measure, signature_line
from meta_eval.scores.penalties import P_ACC, AccuracyPenalty
from meta_eval.studies.thesis import (
    FORMS,
    CoReaders,
    Form,
    PairDeviations,
    Sampling,
    Thresholds,
    Weight,
    count_insensitive,
    deviations_by_pair,
    penalties_by_pair,
    study_deviations,
    study_penalties,
)
from meta_eval.studies.thesis.decisions import DEVIATIONS, INSENSITIVITY, PENALTIES, Decisions

WeightOption = Annotated[
    Weight,
    typer.Option(
        help="What weighs a document's distance: its ratio to the document, as the thesis' code does, or the "
        "printed softmax over one other reader, which is 1."
    ),
]
CoReadersOption = Annotated[
    CoReaders,
    typer.Option(
        help="Who stands beside a reader of a document: all others, or, as in the thesis' notebook, the last."
    ),
]
SamplesOption = Annotated[int, typer.Option(min=1, help="Random samples of each share.")]
ResamplesOption = Annotated[
    int,
    typer.Option(min=0, help="Resamples of readers for the interval of the value over all pairs; 0: none."),
]
ShareOption = typer.Option(
    "--share", min=0.001, max=1.0, metavar="X", help="Share of the reader pairs in a sample. May be repeated."
)
DEVIATION_SHARES = [0.3, 0.5, 0.7, 0.9]
PENALTY_SHARES = [0.8, 0.6, 0.4, 0.2]


def deviations(
    corpus_file: CorpusFile,
    measure: Annotated[
        list[str],
        typer.Option(
            "--measure",
            "-m",
            metavar="M[@FORM]",
            help="A measure, twice. FORM is means (the default of the first) or ratios (of the second).",
        ),
    ],
    system: SystemOption = None,
    weight: WeightOption = "ratio",
    co_readers: CoReadersOption = "all",
    share: Annotated[list[float] | None, ShareOption] = None,
    samples: SamplesOption = 10,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    store: StoreOption = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the deviation of each pair of readers here (CSV).",
            callback=file_place,
        ),
    ] = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Say whether two measures deviate alike over pairs of readers, without ratings (EGISES thesis, 6.1)."""
    texts, forms = _split_forms(measure)
    sampling = Sampling(tuple(share or DEVIATION_SHARES), samples, resamples, seed)
    asked = [parse_measures([text], mode, preprocess, tokeniser)[0] for text in texts]
    corpus, kept = read_corpus(corpus_file), open_store(store)
    tables = _tables(corpus, asked, systems=system, normalise=normalise, store=kept)
    found = [
        deviations_by_pair(corpus, tables[one.id], form=as_form, weight=weight, co_readers=co_readers)
        for one, as_form in zip(asked, forms, strict=True)
    ]
    names = [f"{one.id}@{as_form}" for one, as_form in zip(asked, forms, strict=True)]
    head = {"first": names[0], "second": names[1], "weight": weight, "co_readers": co_readers, "seed": seed}
    signed = {
        f"{side}_signature": signature_line(tables[one.id].signature)
        for side, one in zip(("first", "second"), asked, strict=True)
    }
    if pairs is not None:
        write_text(render_records(_pair_rows(found, names), "csv"), pairs)
    with progress_bar("Coefficients", "rows") as progress:
        studied = study_deviations(found[0], found[1], sampling, progress=progress)
    records = [{**head, **record, **signed} for record in studied]
    _write(records, DEVIATIONS, form, out)


def penalties(
    corpus_file: CorpusFile,
    accuracy_measure: Annotated[
        str, typer.Option(metavar="M", help="The measure of accuracy that is penalised.")
    ] = "rouge-l",
    egises_measure: Annotated[
        str, typer.Option(metavar="M", help="The measure of EGISES, by which it is penalised.")
    ] = "jsd-oov",
    alpha: PAccAlphaOption = P_ACC.alpha,
    beta: PAccBetaOption = P_ACC.beta,
    system: SystemOption = None,
    weight: WeightOption = "ratio",
    co_readers: CoReadersOption = "all",
    share: Annotated[list[float] | None, ShareOption] = None,
    samples: SamplesOption = 10,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Set ROUGE beside P-ROUGE over pairs of readers, and say what the agreement can show (thesis, 6.2)."""
    sampling = Sampling(tuple(share or PENALTY_SHARES), samples, resamples, seed)
    penalty = AccuracyPenalty(alpha, beta)
    asked = [
        parse_measures([text], mode, preprocess, tokeniser)[0] for text in (accuracy_measure, egises_measure)
    ]
    corpus, kept = read_corpus(corpus_file), open_store(store)
    tables = _tables(corpus, asked, systems=system, normalise=normalise, store=kept)
    accuracy, egises = (tables[one.id] for one in asked)
    found = penalties_by_pair(corpus, accuracy, egises, penalty, weight=weight, co_readers=co_readers)
    head = {
        "accuracy_measure": asked[0].id,
        "egises_measure": asked[1].id,
        "alpha": alpha,
        "beta": beta,
        "weight": weight,
        "co_readers": co_readers,
        "seed": seed,
    }
    signed = {
        "accuracy_signature": signature_line(accuracy.signature),
        "egises_signature": signature_line(egises.signature),
    }
    records = [{**head, **record, **signed} for record in study_penalties(found, sampling)]
    _note_range(records)
    _write(records, PENALTIES, form, out)


def insensitivity(
    corpus_file: CorpusFile,
    measure: MeasureOption,
    references_apart: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, metavar="X", help="Two references are apart above this distance."),
    ],
    summaries_apart: Annotated[
        float, typer.Option(min=0.0, max=1.0, metavar="X", help="Two summaries are apart from this one on.")
    ],
    system: SystemOption = None,
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Count where a system treats readers alike who differ, and apart who do not (thesis, definition 3.1)."""
    thresholds = Thresholds(references_apart, summaries_apart)
    measures = parse_measures(measure, mode, preprocess, tokeniser)
    corpus, kept = read_corpus(corpus_file), open_store(store)
    records = [
        {
            "measure": one.id,
            "references_apart": references_apart,
            "summaries_apart": summaries_apart,
            **record,
            "signature_line": signature_line(table.signature),
        }
        for one in measures
        for table in [measure_distances(corpus, one, systems=system, normalise="none", store=kept)]
        for record in count_insensitive(table, thresholds)
    ]
    _write(records, INSENSITIVITY, form, out)


def _write(
    records: Sequence[Mapping[str, Any]], decisions: Decisions, form: Format, out: Path | None
) -> None:
    """The records; whose decisions they rest on stands with each in JSON, and in a table on stderr."""
    if form == "json":
        records = [{**record, "decisions": decisions} for record in records]
    else:
        for whose, decided in decisions.items():
            sys.stderr.write(f"decisions, {whose}: {'; '.join(decided)}\n")
    write_text(render_records(records, form), out)


def _note_range(records: Sequence[Mapping[str, Any]]) -> None:
    """Says on stderr how little P-ROUGE can differ from ROUGE, since their agreement is no finding then."""
    units = [
        record[end] for record in records for end in ("unit_low", "unit_high") if record[end] is not None
    ]
    if units:
        sys.stderr.write(
            f"note: P-ROUGE is ROUGE times {min(units):.2f} to {max(units):.2f} here, so the two agree by "
            "construction; `partial` says what EGISES adds\n"
        )


def _split_forms(measures: Sequence[str]) -> tuple[list[str], list[Form]]:
    """The two measures, and the form of each; raises `InputError` for another number of them."""
    if len(measures) != len(FORMS):
        raise InputError(
            f"--measure must be given twice, for the two that are set against each other, not "
            f"{len(measures)} times"
        )
    texts: list[str] = []
    forms: list[Form] = []
    for measure, default in zip(measures, FORMS, strict=True):
        text, at, form = measure.rpartition("@")
        known = next((one for one in FORMS if one == form), None)
        texts.append(text if at and known else measure)
        forms.append(known if at and known else default)
    return texts, forms


def _tables(corpus: Any, measures: Sequence[Measure], **options: Any) -> dict[str, DistanceTable]:
    """The distances by each measure, computed once; raises `InputError` for one with two sets of options."""
    different = [one for number, one in enumerate(measures) if one not in measures[:number]]
    if len({one.id for one in different}) < len(different):
        raise InputError(
            f"{different[0].id} is named with two sets of options; give it the same options in both forms"
        )
    return {one.id: measure_distances(corpus, one, **options) for one in different}


def _pair_rows(found: Sequence[PairDeviations], names: Sequence[str]) -> list[dict[str, Any]]:
    """One row a system, pair of readers and measure; a pair without a deviation has none."""
    return [
        {
            "system": system,
            "reader_a": side.readers[first],
            "reader_b": side.readers[second],
            "measure": name,
            "deviation": None if value != value else value,  # noqa: PLR0124 - NaN alone differs from itself
        }
        for side, name in zip(found, names, strict=True)
        for row, system in enumerate(side.systems)
        for (first, second), value in zip(side.pairs.tolist(), side.values[row].tolist(), strict=True)
    ]
