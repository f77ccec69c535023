"""Both sides of a reliability table on one axis of systems and documents, resampled with the same draws."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.errors import InputError
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.names import SCORE_NAMES, ScoreName
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.samples import (
    DEFAULT_BATCH,
    DEFAULT_RESAMPLES,
    RaterPool,
    ScoreSample,
    resample_systems,
)


def align_contributions(
    values: FloatArray,
    *,
    systems: Sequence[str],
    documents: Sequence[str],
    to_systems: Sequence[str],
    to_documents: Sequence[str],
) -> FloatArray:
    """Values by system and document laid out by other names: NaN for new ones, the rest dropped.

    Parameters
    ----------
    values : (..., S, D) array
    systems, documents : the S and the D names of its axes
    to_systems, to_documents : the S' and the D' names to lay it out by

    Returns
    -------
    (..., S', D') array

    Examples
    --------
    >>> values = np.array([[0.25], [0.5]])
    >>> align_contributions(
    ...     values, systems="AB", documents=["d"], to_systems="BC", to_documents=["c", "d"]
    ... ).tolist()
    [[nan, 0.5], [nan, nan]]
    """
    padded = np.pad(
        values, [(0, 0)] * (values.ndim - 2) + [(0, 1), (0, 1)], constant_values=np.nan
    )  # one missing row and column, which -1 finds
    rows = {name: index for index, name in enumerate(systems)}
    columns = {name: index for index, name in enumerate(documents)}
    row = np.array([rows.get(name, -1) for name in to_systems], dtype=np.int64)
    column = np.array([columns.get(name, -1) for name in to_documents], dtype=np.int64)
    aligned: FloatArray = padded[..., row[:, None], column[None, :]]
    return aligned


def over_common(scores: Mapping[str, Contributions], score: ScoreName) -> dict[str, Contributions]:
    """The same over what all of them have: a document of a system counts where each has the score.

    Parameters
    ----------
    scores : mapping of str to Contributions
        By measure; a measure may lack systems and documents.
    score : {"perseval", "degress", "egises"}

    Returns
    -------
    dict
        Over the documents of any of them, so that people's have their place; NaN where one has no score.

    Raises
    ------
    InputError
        Where they have nothing in common.

    Examples
    --------
    >>> share, pairs = np.array([[0.25, 0.5], [0.5, 1.0]]), np.ones((2, 2), dtype=int)
    >>> scores = Contributions(("A", "B"), ("c", "d"), share, share, share, share, pairs)
    >>> other = replace(scores, documents=("d", "e", "f"))
    >>> found = over_common({"rouge-l": scores, "bleu": other}, "perseval")["bleu"]
    >>> found.documents, found.perseval.tolist()
    (('c', 'd', 'e', 'f'), [[nan, 0.25, nan, nan], [nan, 0.5, nan, nan]])
    """
    systems = tuple(dict.fromkeys(name for one in scores.values() for name in one.systems))
    documents = tuple(dict.fromkeys(name for one in scores.values() for name in one.documents))
    aligned = [
        align_contributions(
            one.matrix(score),
            systems=one.systems,
            documents=one.documents,
            to_systems=systems,
            to_documents=documents,
        )
        for one in scores.values()
    ]
    common: BoolArray = np.logical_and.reduce(np.isfinite(aligned))  # (S, D)
    if not common.any():
        raise InputError(f"{', '.join(scores)} have no document of any system in common")
    return {name: _only(one, systems, documents, common) for name, one in scores.items()}


def _only(
    one: Contributions, systems: Sequence[str], documents: tuple[str, ...], common: BoolArray
) -> Contributions:
    """A measure over these documents, with nothing outside of the common cells (S, D)."""
    there = common[[systems.index(name) for name in one.systems]]

    def at(values: FloatArray) -> FloatArray:
        moved = align_contributions(
            values,
            systems=one.systems,
            documents=one.documents,
            to_systems=one.systems,
            to_documents=documents,
        )
        return np.where(there, moved, np.nan)

    return Contributions(
        one.systems,
        documents,
        at(one.degress),
        at(one.perseval),
        at(one.accuracy),
        at(one.penalty),
        np.nan_to_num(at(one.pairs.astype(np.float64))).astype(np.int64),
    )


def align_systems(values: FloatArray, *, systems: Sequence[str], to_systems: Sequence[str]) -> FloatArray:
    """Values by system laid out by other names: NaN for new ones, the rest dropped.

    Parameters
    ----------
    values : (..., S) array
    systems : the S names of its axis
    to_systems : the S' names to lay it out by

    Returns
    -------
    (..., S') array

    Examples
    --------
    >>> align_systems(np.array([0.25, 0.5]), systems="AB", to_systems="BC").tolist()
    [0.5, nan]
    """
    one = ("",)  # S is aligned as the rows of a matrix with one document
    aligned: FloatArray = align_contributions(
        values[..., None], systems=systems, documents=one, to_systems=to_systems, to_documents=one
    )[..., 0]
    return aligned


def resample_both_sides(
    automatic: Mapping[str, Contributions],
    human: Mapping[str, Contributions],
    *,
    rng: np.random.Generator,
    resamples: int = DEFAULT_RESAMPLES,
    matched: bool = False,
    systems_too: bool = False,
    pools: Mapping[ScoreId, RaterPool] | None = None,
    batch: int = DEFAULT_BATCH,
) -> dict[ScoreId, ScoreSample]:
    """Samples of every score: `perseval` of each automatic measure, `perseval_hj` of each surrogate.

    Likewise `degress` and `egises`. Systems are those that any human side has, in sorted order; documents all
    of the automatic side, of which the surveyed ones are drawn among themselves.

    Parameters
    ----------
    automatic : contributions by measure
    human : contributions of people by surrogate
    rng : draws documents, raters and systems
    resamples : how many
    matched : whether the automatic side is scored on the surveyed documents alone
    systems_too : whether systems are drawn as well
    pools : by score, draws of raters within documents, on the axes that `table_axes` names
    batch : how many are drawn at a time; it changes no result

    Returns
    -------
    dict of `ScoreSample` by score

    Raises
    ------
    InputError : as `table_axes`, and for a pool of no score

    References
    ----------
    Deutsch, Dror and Roth (2021): BOOT-INPUTS, BOOT-BOTH.

    Examples
    --------
    >>> share, pairs = np.array([[0.25, 0.5], [0.5, 1.0]]), np.ones((2, 2), dtype=int)
    >>> scores = Contributions(("A", "B"), ("c", "d"), share, share, share, share, pairs)
    >>> rng = np.random.default_rng(0)
    >>> made = resample_both_sides({"rouge-l": scores}, {"rouge-l": scores}, rng=rng, resamples=20)
    >>> made[ScoreId("perseval_hj", "rouge-l")].resampled.shape
    (20, 2)
    """
    aligned = align_sides(automatic, human)
    surveyed = np.any(
        [np.isfinite(values).any(axis=0) for score, values in aligned.items() if score.is_human], axis=0
    )
    if matched:
        aligned = {key: np.where(surveyed, values, np.nan) for key, values in aligned.items()}
    unknown = set(pools or {}) - set(aligned)
    if unknown:
        names = ", ".join(sorted(" ".join(score) for score in unknown))
        raise InputError(f"there is no score for the pools {names}")
    documents_rng, systems_rng = rng.spawn(2)
    samples = resample_documents(
        aligned,
        resamples=resamples,
        rng=documents_rng,
        strata=surveyed.astype(np.int64),
        pools=pools,
        batch=batch,
    )
    return resample_systems(samples, rng=systems_rng) if systems_too else samples


def table_axes(
    automatic: Mapping[str, Contributions], human: Mapping[str, Contributions]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Systems and documents of the joint samples.

    Parameters
    ----------
    automatic : contributions by measure
    human : contributions of people by surrogate

    Returns
    -------
    systems : names of those that any human side has, in sorted order
    documents : names of all of the automatic side

    Raises
    ------
    InputError : where a side is empty, or a surveyed document has no automatic scores

    Examples
    --------
    >>> share, pairs = np.array([[0.25, 0.5], [0.5, 1.0]]), np.ones((2, 2), dtype=int)
    >>> scores = Contributions(("A", "B"), ("c", "d"), share, share, share, share, pairs)
    >>> table_axes({"rouge-l": scores}, {"rouge-l": replace(scores, systems=("B", "A"))})
    (('A', 'B'), ('c', 'd'))
    """
    if not automatic or not human:
        raise InputError("a table needs human and automatic scores")
    systems = sorted({name for scores in human.values() for name in scores.systems})
    documents = dict.fromkeys(name for scores in automatic.values() for name in scores.documents)
    lost = {name for scores in human.values() for name in scores.documents} - set(documents)
    if lost:
        raise InputError(f"{len(lost)} surveyed documents have no automatic scores (first: {min(lost)})")
    return tuple(systems), tuple(documents)


def align_sides(
    automatic: Mapping[str, Contributions], human: Mapping[str, Contributions]
) -> dict[ScoreId, FloatArray]:
    """The (systems, documents) contributions of every score, on the axes that `table_axes` names.

    Parameters
    ----------
    automatic : contributions by measure
    human : contributions of people by surrogate

    Returns
    -------
    dict of (S, D) arrays by score, on the axes that `table_axes` names

    Raises
    ------
    InputError : as `table_axes`

    Examples
    --------
    >>> share, pairs = np.array([[0.25, 0.5], [0.5, 1.0]]), np.ones((2, 2), dtype=int)
    >>> scores = Contributions(("A", "B"), ("c", "d"), share, share, share, share, pairs)
    >>> found = align_sides({"rouge-l": scores}, {"rouge-l": scores})
    >>> found[ScoreId("perseval", "rouge-l")].tolist(), len(found)
    ([[0.25, 0.5], [0.5, 1.0]], 6)
    """
    systems, documents = table_axes(automatic, human)
    return {
        **_aligned(automatic, "", systems, documents),
        **_aligned(human, "_hj", systems, documents),
    }


def align_pool(pool: RaterPool, *, systems: Sequence[str], to_systems: Sequence[str]) -> RaterPool:
    """The pool with its systems in another order; NaN for systems it does not have."""
    names = [str(index) for index in range(pool.values.shape[2])]
    values = align_contributions(
        pool.values, systems=systems, documents=names, to_systems=to_systems, to_documents=names
    )
    return replace(pool, values=values)


def _aligned(
    sides: Mapping[str, Contributions], suffix: str, systems: Sequence[str], documents: Sequence[str]
) -> dict[ScoreId, FloatArray]:
    found = {}
    for measure, scores in sides.items():
        for name in SCORE_NAMES:
            found[ScoreId(f"{name}{suffix}", measure)] = align_contributions(
                scores.matrix(name),
                systems=scores.systems,
                documents=scores.documents,
                to_systems=systems,
                to_documents=documents,
            )
    return found
