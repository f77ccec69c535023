"""What methods say of the statistics: shortly in the paragraph, with every detail in the appendix."""

from collections.abc import Iterable, Iterator, Sequence

from meta_eval.report.declared import capital, family_in_words, when_in_words
from meta_eval.report.limits import BY_FAMILY, MODELS, ONE_POPULATION, WIDER, limits_of_report
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import (
    AgreementStudy,
    CoefficientRow,
    CorrelationRow,
    FurtherQuestions,
    Inference,
    JudgedStudy,
    Report,
)
from meta_eval.report.tables.agreement import agreement_in_words
from meta_eval.report.tables.studies import said_of_samples
from meta_eval.stats.coefficients.families import name_families
from meta_eval.stats.coefficients.registry import AS_SHOWN, COEFFICIENTS, REGISTRY
from meta_eval.stats.significance.permutation import DEFAULT_PERMUTATIONS
from meta_eval.stats.significance.shared import EXACT_SHARED


def statistics_in_words(report: Report) -> Iterator[str]:
    """How agreement over systems was found, how sure it is, and what else was asked."""
    asked = {*COEFFICIENTS, *(row.coefficient for row in report.correlations)}
    given = listed(REGISTRY[name].plain for name in AS_SHOWN if name in asked)
    yield f"Agreement over systems is given as {given}."
    if report.inference is None:
        return
    if rows := [row for row in report.correlations if row.is_inferred]:
        yield from _inference(report.inference.options, rows, report.answer.declared)
        yield from limits_of_report(report)
        yield from _families(report.inference, rows)
    if any(row.estimate is not None for row in report.inference.sentinels):
        yield (
            "As sentinels [[perrella2024guardians]], which cannot know how personalised a summary is, the "
            "length of the summary, random scores, a constant, and each measure's penalty EDP and accuracy "
            "alone were set against the same human scores."
        )
    if report.inference.stability:
        yield (
            "Rankings by ten samples each of 80, 60, 40 and 20% of the documents were set against that by "
            f"all of them [[dasgupta2024perseval]]. {said_of_samples(report)}"
        )
    yield from _further(report.inference.further)
    yield from _rater_agreement(report.inference.agreement)
    if judge := report.inference.judged:
        yield (
            f"The language model {judge.judge} judged single summaries in readers' places, of whom it saw "
            f"past headlines (PerSE [[wang2024perse]]): {judge.answered:,} of {judge.questions:,} questions "
            "were answered. Its scores were set against the human ones beside the accuracy of each measure, "
            f"and enter nothing else. {_control(judge)}"
        )
    if models := report.inference.stand_in:
        named = listed(one.rater.partition(":")[2] for one in models)
        mixed = (
            ", and in a table of its own joined with them to human scores by prediction-powered inference "
            "[[angelopoulos2023ppi]]"
        )
        yield (
            f"The language model{'s' * (len(models) > 1)} {named} rated the same pairs apart from people, in "
            "no score: set beside them by the alternative annotator test [[calderon2025alternative]] with "
            f"an epsilon of {models[0].alternative_annotator_test.epsilon:g}"
            f"{mixed if any(one.asks_mixed for one in models) else ''}."
        )


def _control(judge: JudgedStudy) -> str:
    if judge.control is None:
        return "It was not asked under other readers' profiles, the control of whether it is personal."
    return (
        f"As a control it was asked under other readers' profiles, over {judge.control.documents} documents."
    )


def procedure_in_words(report: Report) -> Iterator[tuple[str, int]]:
    """The statistics in a few sentences; one with a rank may be left out, that of the highest first."""
    rows = [row for row in report.correlations if row.is_inferred]
    given = f"We report {listed(REGISTRY[name].plain for name in COEFFICIENTS)} over systems"
    if report.inference is None or not rows:
        yield f"{given}, without intervals or tests.", 0
        return
    options = report.inference.options
    cited = "".join(
        f" [[{work}]]"
        for methods, work in _INTERVAL_WORKS.items()
        if any(row.ci_method in methods for row in rows)
    )
    yield (
        f"{given}, with {options.level:.0%} intervals{cited} from "
        f"{count_text(options.resamples, 'resample')} of {options.resampled}{_tests(rows)}.",
        0,
    )
    if tested := [row for row in rows if row.p_raters is not None]:
        yield (
            f"A measure agrees with the raters only where shuffled ratings ({_shuffles(tested)}) reach its "
            f"coefficient in at most {options.alpha:.0%} of tries, adjusted over all measures "
            "[[westfall1993resampling]].",
            1,
        )
    yield _declared(report.inference), 0
    if any(row.estimate is not None for row in report.inference.sentinels):
        yield (
            "Scores that cannot know of personalisation stood beside as sentinels [[perrella2024guardians]].",
            3,
        )


def _tests(rows: Sequence[CorrelationRow]) -> str:
    """The tests of the coefficients, where there are any."""
    methods = sorted({row.p_method for row in rows if row.p_method})
    holm = {row.p_adjustment for row in rows if row.p_adjusted is not None} == {"holm"}
    adjusted = ", Holm-adjusted [[holm1979simple]]" if holm else _adjusted(rows)
    return f" and two-sided p-values ({listed(methods)}){adjusted}" if methods else ""


def _declared(inference: Inference) -> str:
    primary = inference.primary
    if primary is None:
        return "No primary coefficient was declared; all are exploratory."
    told = "declared as primary" if primary.declared_at else "named as primary"
    return f"{capital(family_in_words(primary))} was {told} {when_in_words(primary)}."


_INTERVAL_WORKS = {("bca",): "efron1987better", MODELS: "everson2000inference"}
"""The work behind each kind of interval."""


def _inference(options: InferenceOptions, rows: Sequence[CorrelationRow], declared: str) -> Iterator[str]:
    yield from _intervals(options, {row.ci_method for row in rows if row.ci_method})
    tests = sorted({row.p_method for row in rows if row.p_method})
    if tests:
        yield f"p-values are two-sided ({listed(tests)}){_adjusted(rows)}."
    yield from _primary(declared, rows)
    yield from _shuffled(options, rows)


def _primary(declared: str, rows: Sequence[CorrelationRow]) -> Iterator[str]:
    """What was declared, when, and how its p were adjusted."""
    if declared:
        yield declared
    if any(row.p_max_t is not None for row in rows):
        yield (
            "Max-T [[westfall1993resampling]] goes step by step over all permutations of up to "
            f"{EXACT_SHARED} systems, above over {DEFAULT_PERMUTATIONS:,} drawn ones."
        )


def _families(inference: Inference, rows: Sequence[CorrelationRow]) -> Iterator[str]:
    """How the distance between families of systems was told from agreement within them."""
    tests = sorted({row.p_within_method for row in rows if row.p_within_method})
    if not tests:
        return
    named, found = "; ".join(name_families(inference.known_families)), inference.found_families
    how = f", found since {found.how}" if found else ""
    yield (
        f"Systems fall into families ({named}){how}; p within families permutes systems within their family "
        f"({listed(tests)}), and coefficients within all families together are of deviations from the "
        "family's mean, of ranks within the family, and of pairs of systems of one family "
        "[[korn1984kendall]] [[taylor1987kendall]]."
    )
    explained = sum(bool(row.families_explain) for row in rows)
    if explained:
        yield (
            f"Of {count_text(len(rows), 'coefficient')}, {explained} with p of at most "
            f"{inference.options.alpha:g} over all systems may be explained by the families alone."
        )


def _shuffled(options: InferenceOptions, rows: Sequence[CorrelationRow]) -> Iterator[str]:
    """What raters add was told from ratings that change places."""
    if tested := [row for row in rows if row.p_raters is not None]:
        yield (
            "Each coefficient stands beside that of ratings shuffled within questionnaires "
            f"({_shuffles(tested)}): a measure is said to agree with the raters only where shuffled ratings "
            f"reach its coefficient in at most {options.alpha:.0%} of the tries, adjusted over all measures "
            "[[westfall1993resampling]]."
        )


_CLOSED = {"esscher": "Esscher's variance of tau", "fisher": "Fisher's z"}
_RESAMPLED = {"bca": "BCa", "percentile": "percentile"}


def _intervals(options: InferenceOptions, methods: set[str]) -> Iterator[str]:
    """What intervals are about, and how they were made."""
    if closed := [name for method, name in _CLOSED.items() if method in methods]:
        yield f"Intervals of {options.level:.0%} about other systems rest on {listed(closed)}."
    resamples = f"{count_text(options.resamples, 'resample')} of {options.resampled} (seed {options.seed})"
    if drawn := [name for method, name in _RESAMPLED.items() if method in methods]:
        cited = " [[efron1987better]]" if "bca" in methods else ""
        yield (
            f"Intervals of {options.level:.0%} are {listed(drawn)} bootstrap intervals{cited} from "
            f"{resamples}."
        )
    if methods & {*MODELS}:
        yield (
            f"Intervals of {options.level:.0%} are of the coefficient of the systems' true scores, drawn "
            f"from a normal hierarchical model [[everson2000inference]] of the systems, whose noise is that "
            f"of {resamples}; {listed(text for method, text in _POPULATIONS.items() if method in methods)}."
        )


def _shuffles(rows: Sequence[CoefficientRow]) -> str:
    most = max(row.shuffles or 0 for row in rows)
    exact = all(row.p_raters_method == "exact" for row in rows)
    return f"all {most:,} ways" if exact else f"{most:,} shuffles"


def _further(asked: FurtherQuestions) -> Iterator[str]:
    if asked.soft_accuracy:
        yield (
            "Over rated documents and pairs we further give the soft pairwise accuracy "
            "[[thompson2024improving]], the accuracy over pairs of summaries with calibrated ties "
            "[[deutsch2023ties]], that over pairs of systems that raters tell apart [[kocmi2021ship]] or "
            "that are close [[deutsch2022reexamining]], the difference of scores that people notice "
            "[[kocmi2024navigating]], coefficients without outlier systems [[mathur2020tangled]] and ranks "
            "of the systems that hold together [[mogstad2024inference]]."
        )
    if asked.rating_components:
        yield (
            "What ratings vary by, severity of raters and dependability of mean ratings are those of a mixed "
            "model with random systems, raters, documents, systems on documents and pages, fitted by "
            "restricted maximum likelihood [[patterson1971recovery]]; shares of variance are those of a G "
            "study, and what more raters or documents would give those of a D study "
            "[[brennan2001generalizability]]."
        )
    if asked.raters_among_measures:
        yield (
            "Raters and measures were set against the mean of the other raters on the same pages "
            "[[calderon2025alternative]], by Kendall's tau-b of the systems of a page, averaged over pages."
        )
    if asked.combinations:
        yield (
            "Measures were joined into one score, the best two, all alike, or by weights fitted to people "
            "[[anugraha2024metametrics]]. Each pair of systems was left out in turn. What leaving out each "
            "system alone gives, as is usual, stands beside it and is no test, since such a system is then "
            "ordered among others that the weights were fitted to."
        )


_POPULATIONS = {
    ONE_POPULATION: "they take the systems for one normal population",
    BY_FAMILY: "those of ranks take each family of systems for a population of its own",
    WIDER: (
        "where scores show groups of systems, or hardly more than noise within families, those of ranks are "
        "the wider of two, with one population and with one of each group"
    ),
}


def _adjusted(rows: Iterable[CoefficientRow]) -> str:
    methods = {row.p_adjustment or "" for row in rows if row.p_adjusted is not None}
    if methods == {"holm"}:
        return ", adjusted over the table of each score by Holm's method [[holm1979simple]]"
    return f", adjusted by {listed(sorted(methods))}" if methods else ", not adjusted"


def _rater_agreement(study: AgreementStudy | None) -> Iterator[str]:
    known = [row for row in (study.coefficients if study else ()) if row.estimate is not None]
    if known:
        yield f"Agreement of the raters: {'; '.join(map(agreement_in_words, known))}."


def count_text(number: int, noun: str) -> str:
    """How many of something.

    >>> count_text(1200, "rating")
    '1,200 ratings'
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(parts: Iterable[str]) -> str:
    """The parts with commas and a last "and"."""
    names = list(parts)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
