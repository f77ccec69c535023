"""The command that asks which measure agrees best with people."""

from typing import TYPE_CHECKING, Annotated

import typer

from meta_eval.cli.inputs import (
    open_store,
    parse_measures,
    read_corpus,
)
from meta_eval.cli.options import (
    AdjustOption,
    CorpusFile,
    FormatOption,
    HumanFile,
    MeasureOption,
    ModeOption,
    NormaliseOption,
    OutOption,
    PreprocessOption,
    ScoreOption,
    SeedOption,
    StoreOption,
    choices,
    plain,
)
from meta_eval.cli.records import read_records, scores_by
from meta_eval.cli.scores import score_by_measure
from meta_eval.files.writing import render_records, write_text
from meta_eval.report.reliability import HUMAN, shared_settings
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.names import SCORES
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.samples import DEFAULT_RESAMPLES
from meta_eval.stats.significance.comparison import Swap
from meta_eval.stats.table.pairwise import (
    DEFAULT_TESTS,
    CompareOptions,
    Test,
    compare_measures,
)

if TYPE_CHECKING:
    OneTest = Test
else:
    OneTest = choices(Test)


def compare(
    human_file: HumanFile,
    corpus_file: CorpusFile,
    measure: MeasureOption,
    score: ScoreOption = "perseval",
    coefficient: Annotated[Coefficient, typer.Option(help="The coefficient compared.")] = "kendall",
    test: Annotated[
        list[OneTest] | None,
        typer.Option(help="Only this test; may be repeated. [default: permutation, williams]"),
    ] = None,
    swap: Annotated[
        Swap, typer.Option(help="What the permutation test swaps between two metrics; both: PERM-BOTH.")
    ] = "systems",
    adjust: AdjustOption = "holm",
    permutations: Annotated[
        int, typer.Option(min=99, help="Random swaps where not all are enumerated.")
    ] = 9_999,
    resamples: Annotated[int, typer.Option(min=40, help="Resamples of the bootstrap.")] = DEFAULT_RESAMPLES,
    seed: SeedOption = 0,
    normalise: NormaliseOption = "document",
    mode: ModeOption = "paper",
    preprocess: PreprocessOption = None,
    store: StoreOption = None,
    form: FormatOption = "json",
    out: OutOption = None,
) -> None:
    """Compare measures pair by pair: which agrees better with people, and is it more than chance?"""
    measures = parse_measures(measure, mode, preprocess)
    kind = SCORES[score]
    people = read_records(human_file, "surrogate", kind.human)
    asked = {"normalise": normalise, **ScoreOptions().record}
    settings = shared_settings({HUMAN: people, "this command": [asked]})
    corpus, kept = read_corpus(corpus_file), open_store(store)
    options = CompareOptions(
        tests=plain(test or DEFAULT_TESTS),
        swap=swap,
        adjustment=adjust,
        permutations=permutations,
        resamples=resamples,
        seed=seed,
    )
    scores = {
        name: one.contributions
        for name, one in score_by_measure(corpus, measures, normalise=normalise, store=kept)
    }
    found = compare_measures(
        scores,
        scores_by(people, "surrogate", kind.human),
        score=score,
        coefficient=coefficient,
        options=options,
    )
    records = [{"score": score, **one.as_dict(), **settings} for one in found]
    write_text(render_records(records, form), out)
