"""Commands that make scores and set them against each other."""

from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from meta_eval.cli.inputs import (
    open_store,
    parse_measures,
    parse_named_files,
    progress_bar,
    read_corpus,
    read_rating_file,
    report_corpus,
    warn_of_empty,
)
from meta_eval.cli.options import (
    BetaOption,
    CorpusFile,
    Format,
    FormatOption,
    IncludeSelfOption,
    MeasureOption,
    MinRatersOption,
    Mode,
    ModeOption,
    Normalise,
    NormaliseOption,
    OutOption,
    PreprocessOption,
    RatersOption,
    RatingsFile,
    ScaleOption,
    StoreOption,
    SurrogateOption,
    SystemOption,
    file_place,
    new_file_place,
)
from meta_eval.corpus.documents import write_jsonl
from meta_eval.corpus.pens import read_pens
from meta_eval.files.writing import render_records, write_text
from meta_eval.measures import available_measures
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.responses import write_responses
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.human import score_humans
from meta_eval.scores.perseval import DEFAULT_BETA, PenaltyOptions


def import_pens(
    test: Annotated[Path, typer.Option(metavar="FILE", help="personalized_test.tsv of PENS.")],
    system: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=FILE", help="A system and its output, one line per reference. May be repeated."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where to write the corpus (JSONL).", callback=file_place
        ),
    ],
    news: Annotated[
        Path | None, typer.Option(metavar="FILE", help="news.tsv of PENS: titles and bodies.")
    ] = None,
    keep_case: Annotated[
        bool,
        typer.Option(
            "--keep-case", help="Do not lower-case the references (systems' outputs are lower-case)."
        ),
    ] = False,
) -> None:
    """Turn PENS files into consolidated JSONL."""
    corpus = read_pens(test=test, systems=parse_named_files(system), news=news, lower_case=not keep_case)
    stream = StringIO()
    write_jsonl(corpus, stream)
    write_text(stream.getvalue(), out)
    report_corpus(corpus)


def score(
    corpus_file: CorpusFile,
    measure: MeasureOption,
    system: SystemOption = None,
    normalise: NormaliseOption = Normalise.document,
    mode: ModeOption = Mode.paper,
    preprocess: PreprocessOption = None,
    beta: BetaOption = DEFAULT_BETA,
    include_self: IncludeSelfOption = False,
    store: StoreOption = None,
    form: FormatOption = Format.json,
    out: OutOption = None,
) -> None:
    """Score systems automatically: accuracy, DEGRESS, EGISES and PerSEval under each measure."""
    measures = parse_measures(measure, mode, preprocess)
    options = ScoreOptions(PenaltyOptions(beta=beta), include_self)
    corpus, kept = read_corpus(corpus_file), open_store(store)
    records: list[dict[str, Any]] = []
    for one in measures:
        with progress_bar(f"Scoring with {one.id}") as progress:
            scores = score_systems(
                corpus,
                one,
                systems=system,
                normalise=normalise.value,
                options=options,
                progress=progress,
                store=kept,
            )
        warn_of_empty(f"measure {one.id}", scores.distances)
        records.extend(scores.records())
    write_text(render_records(records, form.value), out)


def human(
    ratings_file: RatingsFile,
    corpus_file: CorpusFile,
    surrogate: SurrogateOption,
    scale: ScaleOption,
    min_raters: MinRatersOption = None,
    raters: RatersOption = None,
    normalise: NormaliseOption = Normalise.document,
    mode: ModeOption = Mode.paper,
    preprocess: PreprocessOption = None,
    beta: BetaOption = DEFAULT_BETA,
    include_self: IncludeSelfOption = False,
    store: StoreOption = None,
    form: FormatOption = Format.json,
    out: OutOption = None,
) -> None:
    """Score systems from people's ratings: DEGRESS-HJ, EGISES-HJ and PerSEval-HJ by surrogate measure."""
    measures = parse_measures(surrogate, mode, preprocess)
    options = ScoreOptions(PenaltyOptions(beta=beta), include_self)
    corpus, kept = read_corpus(corpus_file), open_store(store)
    ratings = read_rating_file(ratings_file, corpus)
    found = human_divergences(ratings, scale=scale.value, full=raters, min_raters=min_raters)
    records: list[dict[str, Any]] = []
    for one in measures:
        with progress_bar(f"Surrogate {one.id}") as progress:
            scores = score_humans(
                corpus,
                found,
                one,
                normalise=normalise.value,
                options=options,
                progress=progress,
                store=kept,
            )
        warn_of_empty(f"surrogate {one.id}", scores.surrogate)
        records.extend(scores.records())
    write_text(render_records(records, form.value), out)


def export_responses(
    ratings_file: Annotated[Path, typer.Argument(metavar="RATINGS", help="Ratings, as `human` takes them.")],
    corpus_file: CorpusFile,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", metavar="FILE", help="The SQLite file to make.", callback=new_file_place),
    ],
) -> None:
    """Write ratings as the papers' own survey app kept them: table `response` in SQLite, without raters."""
    write_responses(read_rating_file(ratings_file, read_corpus(corpus_file)), out)


def measures(form: FormatOption = Format.json, out: OutOption = None) -> None:
    """List the measures: options with their defaults, range, symmetry, cost and source."""
    records = [
        {
            "id": info.id,
            "title": info.title,
            "options": dict(info.options),
            "range": info.range,
            "symmetric": info.symmetric,
            "identity": info.identity,
            "cost": info.cost,
            "source": info.source,
        }
        for info in available_measures()
    ]
    write_text(render_records(records, form.value), out)
