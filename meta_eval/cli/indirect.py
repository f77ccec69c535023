"""The commands of the indirect method: reading the ratings that others released, and the study."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from meta_eval.cli.inputs import open_store, parse_measures, progress_bar
from meta_eval.cli.options import (
    AlphaOption,
    BetaOption,
    EdpReadersOption,
    FormatOption,
    GammaOption,
    MeasureOption,
    ModeOption,
    NormaliseOption,
    OutOption,
    PreprocessOption,
    StoreOption,
    SurrogatesOption,
    SystemOption,
    TokeniserOption,
    file_place,
    finite,
)
from meta_eval.cli.records import note_no_null, with_signature_line
from meta_eval.files.json_files import json_lines
from meta_eval.files.writing import render_records, write_text
from meta_eval.measures import Measure
from meta_eval.report.reliability import correlate_records
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.perseval import (
    DEFAULT_ALPHA,
    DEFAULT_BETA,
    DEFAULT_GAMMA,
    PenaltyOptions,
)
from meta_eval.studies.indirect import Form as IndirectForm
from meta_eval.studies.indirect import (
    IndirectOptions,
    IndirectStudy,
    prepare_study,
    read_feedback,
    read_rated_summaries,
    score_annotators,
)
from meta_eval.studies.indirect.feedback import Dataset

_SCORES = {
    "automatic": ("measure", ("accuracy", "degress", "egises", "perseval")),
    "human": ("surrogate", ("degress_hj", "egises_hj", "perseval_hj")),
}
_LEFT_OUT = {
    "other_texts": "ratings are of another text than the most rated of its policy and document; left out",
    "repeated": "ratings repeat one by the same annotator of the same summary; their mean stands",
    "unrated": "ratings have no value for overall; null stands for it",
}


def import_feedback(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The download, or its folder axis_evals.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="Where to write the ratings.", callback=file_place),
    ],
    dataset: Annotated[
        Dataset | None,
        typer.Option(help="Only Reddit posts (tldr), or only news articles (cnndm); both by default."),
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only lines of this split. May be repeated; all by default."),
    ] = None,
) -> None:
    """Turn openai/summarize_from_feedback's ratings of summaries into what `indirect` takes."""
    found = read_feedback(folder, dataset=dataset, splits=split)
    write_text(json_lines(found.records), out)
    sys.stderr.write(", ".join(f"{count} {name}" for name, count in found.counts.items()) + "\n")
    for name, meaning in _LEFT_OUT.items():
        if count := found.counts[name]:
            sys.stderr.write(f"note: {count} {meaning}\n")


def indirect(
    rated_file: Annotated[
        Path, typer.Argument(metavar="RATED.jsonl", help="Rated summaries, one document a line.")
    ],
    measure: MeasureOption,
    surrogate: SurrogatesOption,
    rating: Annotated[str, typer.Option(help="Field of a rating that counts.")] = "overall",
    lowest: Annotated[
        float, typer.Option(help="Lowest rating there can be.", callback=finite)
    ] = IndirectOptions().lowest,
    highest: Annotated[
        float, typer.Option(help="Highest rating there can be.", callback=finite)
    ] = IndirectOptions().highest,
    r_max: Annotated[
        float,
        typer.Option(help="Ratings are taken onto 1 to this; the paper's scale ends at 7.", callback=finite),
    ] = IndirectOptions().r_max,
    gold_above: Annotated[
        float,
        typer.Option(help="On that scale: an annotator's gold is what lies above.", callback=finite),
    ] = IndirectOptions().gold_above,
    formulas: Annotated[
        IndirectForm,
        typer.Option(
            "--form",
            help="Divergence of golds and accuracy by ratings of single summaries and the surrogate (ours), "
            "or as printed in PerSEval 8.1 (paper).",
        ),
    ] = "ours",
    system: SystemOption = None,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    tokeniser: TokeniserOption = None,
    alpha: AlphaOption = DEFAULT_ALPHA,
    beta: BetaOption = DEFAULT_BETA,
    gamma: GammaOption = DEFAULT_GAMMA,
    edp_readers: EdpReadersOption = None,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Score and correlate on ratings of summaries, without reader profiles (PerSEval 6.1 and 8.1)."""
    measures, surrogates = (
        parse_measures(texts, mode, preprocess, tokeniser) for texts in (measure, surrogate)
    )
    options = IndirectOptions(
        lowest=lowest, highest=highest, r_max=r_max, gold_above=gold_above, form=formulas
    )
    documents = read_rated_summaries(
        rated_file, rating=rating, lowest=lowest, highest=highest, name=str(rated_file)
    )
    study = prepare_study(documents, options)
    _warn_of_golds(study)
    penalty = PenaltyOptions(alpha, beta, gamma)
    scored = ScoreOptions(penalty, edp_readers=edp_readers).of_mode(mode)
    shared: dict[str, Any] = {
        "normalise": normalise,
        "options": scored,
        "store": open_store(store),
    }
    automatic = [record for one in measures for record in _score_policies(study, one, system, shared)]
    human = [record for one in surrogates for record in _score_people(study, one, system, shared)]
    correlations = correlate_records(human, automatic)
    found = {
        "options": {
            **asdict(options),
            "rating": rating,
            "normalise": normalise,
            **asdict(penalty),
            "edp_readers": scored.edp_readers,
        },
        "counts": study.counts,
        "automatic": automatic,
        "human": human,
        "correlations": correlations,
    }
    note_no_null(correlations, "ratings of single summaries are not shuffled")
    as_json = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_text(as_json if form == "json" else render_records(list(_long_form(found)), "csv"), out)


def _warn_of_golds(study: IndirectStudy) -> None:
    """Says where DEGRESS-HJ can measure nothing, since all golds are rated alike."""
    pairs = study.counts["gold_pairs"]
    if pairs and study.counts["gold_pairs_alike"] == pairs:
        sys.stderr.write(
            f"warning: the golds of all {pairs} pairs of annotators are rated alike, so their divergence is "
            "0 and DEGRESS-HJ says only whether summaries are rated alike, too\n"
        )


def _score_policies(
    study: IndirectStudy, measure: Measure, systems: list[str] | None, shared: dict[str, Any]
) -> list[dict[str, Any]]:
    with progress_bar(f"Scoring with {measure.id}") as progress:
        found = score_systems(study.corpus, measure, systems=systems, progress=progress, **shared)
    return [with_signature_line(record) for record in found.records()]


def _score_people(
    study: IndirectStudy, surrogate: Measure, systems: list[str] | None, shared: dict[str, Any]
) -> list[dict[str, Any]]:
    with progress_bar(f"Surrogate {surrogate.id}") as progress:
        found = score_annotators(study, surrogate, progress=progress, **shared)
    records = map(with_signature_line, found.records())
    return [record for record in records if systems is None or record["system"] in systems]


def _long_form(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """One row a count, score or coefficient; what a row has not is empty."""
    head = dict.fromkeys(
        ("section", "system", "measure", "surrogate", "name", "coefficient", "n", "value", "reason", "shared")
    )
    for name, count in found["counts"].items():
        yield {**head, "section": "counts", "name": name, "value": count}
    for section, (key, scores) in _SCORES.items():
        for record in found[section]:
            place = {
                "section": section,
                "system": record["system"],
                key: record[key],
                "n": record["documents"],
            }
            yield from ({**head, **place, "name": score, "value": record[score]} for score in scores)
    for row in found["correlations"]:
        kept = {name: row[name] for name in ("measure", "surrogate", "coefficient", "n", "reason", "shared")}
        yield {**head, **kept, "section": "correlations", "name": row["automatic"], "value": row["estimate"]}
