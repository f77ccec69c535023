"""A survey as its files show it: the plan, what raters were asked, and one row a rating."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.files.frames import Brief
from meta_eval.ratings.divergences import HumanDivergences, human_divergences
from meta_eval.ratings.questionnaires import RatedQuestionnaire, group_ratings
from meta_eval.ratings.rating import (
    SIX_POINTS,
    Ends,
    RatedPair,
    Rating,
    Scale,
    check_scale,
    order_readers,
    rated_pair,
)
from meta_eval.ratings.rows import rating_of_row, ratings_hash, sort_ratings
from meta_eval.ratings.table import set_apart

COUNTED = "submitted"
"""What `state` says of ratings that scores count; those of `SET_APART` are shown and not counted."""

RatingRow = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Survey(Brief):
    """`plan` has `seed`, `systems` and `questionnaires`, `study` has `scale` and `raters` (per pair).

    `rows` have the columns of `RATING_COLUMNS` and, where it is known, `questionnaire`, `simulated` and
    `state`. A plan that was made from the ratings says so in `from_ratings`: it lacks what nobody rated.
    """

    plan: Mapping[str, Any]
    study: Mapping[str, Any]
    rows: tuple[RatingRow, ...]

    def brief(self) -> tuple[str, str]:
        systems = self.plan["systems"]
        return f"{len(self.rows):,} ratings of {len(systems)} systems", f"systems: {', '.join(systems)}"

    @property
    def scale(self) -> Scale:
        return check_scale(self.study["scale"])

    @property
    def ends(self) -> Ends:
        """The lowest and the highest rating, which `study` names where they are not 1 and 6."""
        return Ends.from_record(self.study)

    @property
    def counted(self) -> list[RatingRow]:
        """The rows that enter scores."""
        return [row for row in self.rows if not set_apart(row)]

    @property
    def ratings(self) -> list[Rating]:
        """Those that are counted, in order."""
        return sort_ratings(map(rating_of_row, self.counted))

    def divergences(self, min_raters: int | None) -> HumanDivergences:
        """Human divergences of the pairs with enough ratings."""
        full = self.study["raters"]
        return human_divergences(
            self.ratings, scale=self.scale, full=full, min_raters=min_raters, ends=self.ends
        )

    @property
    def plan_counts(self) -> dict[str, int]:
        """What was planned, as a report counts it."""
        questionnaires = len(self.plan["questionnaires"])
        return count_plan(self.planned_pairs, questionnaires=questionnaires, raters=self.study["raters"])

    @property
    def rating_counts(self) -> dict[str, Any]:
        """Who rated how much, as a report counts it; of simulated raters only if the rows say so."""
        rows = self.counted
        return count_rated(
            [rating_of_row(row) for row in rows],
            completions=len({(row.get("questionnaire"), row["rater"]) for row in rows}),
            simulated={row["rater"] for row in rows if row.get("simulated") == "true"},
        )

    @property
    def planned_pairs(self) -> set[RatedPair]:
        """The pairs of texts that the plan's questionnaires hold."""
        return {
            rated_pair(planned["document"], item["system"], planned["reader_a"], planned["reader_b"])
            for planned in self.plan["questionnaires"]
            for item in planned["items"]
        }

    @property
    def unrated_pairs(self) -> dict[str, int]:
        """Count of the planned pairs that nobody rated, where the plan can know them."""
        if self.plan.get("from_ratings"):
            return {}
        return {"pairs_unrated": len(self.planned_pairs - {rating.pair for rating in self.ratings})}


def count_plan(pairs: Collection[RatedPair], *, questionnaires: int, raters: int) -> dict[str, int]:
    """What was planned, as a report counts it: `pairs` in `questionnaires`, each meant for `raters`."""
    return {
        "questionnaires": questionnaires,
        "raters_per_questionnaire": raters,
        "completions_wanted": questionnaires * raters,
        "documents": len({pair.doc_id for pair in pairs}),
        "pairs": len(pairs),
    }


def count_rated(ratings: Sequence[Rating], *, completions: int, simulated: Collection[str]) -> dict[str, Any]:
    """Who rated how much, as a report counts it; `simulated` names the raters that are programs."""
    return {
        "hash": ratings_hash(ratings),
        "ratings": len(ratings),
        "completions": completions,
        "raters": len({rating.rater for rating in ratings}),
        "simulated_raters": len(simulated),
        "simulated_ratings": sum(rating.rater in simulated for rating in ratings),
    }


def survey_of_ratings(
    rows: Sequence[RatingRow],
    *,
    scale: Scale,
    systems: Iterable[str],
    raters: int | None = None,
    question: str = "",
    ends: Ends = SIX_POINTS,
) -> Survey:
    """The survey of which only the ratings are known.

    Parameters
    ----------
    rows : sequence of mapping
        From `rows_of_ratings`. Where they do not all name a `questionnaire`, these are derived from what each
        rater rated (`group_ratings`).
    scale : {"similarity", "dissimilarity"}
    systems : iterable of str
        In the order of the plan; those that nobody rated are left out.
    raters : int, optional
        The full number of ratings a pair; default: the most that any system's pair has.
    question : str, optional
        What raters were asked.
    ends : Ends, optional
        The lowest and the highest rating.

    Returns
    -------
    Survey

    Examples
    --------
    >>> ratings = [Rating("d", name, "ann", "bob", "p", 3) for name in ("user", "A")]
    >>> survey = survey_of_ratings(rows_of_ratings(ratings), scale="similarity", systems=["A", "B"])
    >>> survey.plan["systems"], survey.plan_counts["pairs"]
    (['A'], 2)
    """
    ratings = [rating_of_row(row) for row in rows]
    numbers = [(row.get("questionnaire") or "").strip() for row in rows]
    groups = group_ratings(ratings, numbers if all(numbers) else None)
    number_of = {index: group.number for group in groups for page in group.pages for index in page.indices}
    rated = {rating.system for rating in ratings}
    plan = {
        "seed": None,
        "from_ratings": True,
        "systems": [name for name in systems if name in rated],
        "questionnaires": [_planned(group) for group in sorted(groups, key=lambda group: group.number)],
    }
    full = human_divergences(ratings, scale=scale, full=raters, min_raters=1, ends=ends).full
    return Survey(
        plan=plan,
        study={"scale": scale, "raters": full, "question": question, **ends.record},
        rows=tuple({**row, "questionnaire": number_of[index]} for index, row in enumerate(rows)),
    )


def _planned(group: RatedQuestionnaire) -> dict[str, Any]:
    reader_a, reader_b = order_readers(group.reader_a, group.reader_b)
    return {
        "number": group.number,
        "document": group.document,
        "reader_a": reader_a,
        "reader_b": reader_b,
        "items": [{"system": system} for system in group.systems],
    }


def rows_of_ratings(ratings: Sequence[Rating], more: Sequence[RatingRow] | None = None) -> list[RatingRow]:
    """One row a rating that counts.

    Parameters
    ----------
    ratings : sequence of Rating
    more : sequence of mapping, optional
        As many rows, whose further columns are kept.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> rows_of_ratings([Rating("d", "A", "ann", "bob", "p", 3)], [{"position": "2"}])[0]["position"]
    '2'
    """
    further: Sequence[RatingRow] = more if more is not None else [{} for _ in ratings]
    return [
        {
            **row,
            "doc_id": rating.doc_id,
            "system": rating.system,
            "reader_a": rating.reader_a,
            "reader_b": rating.reader_b,
            "rater": rating.rater,
            "rating": str(rating.rating),
            "state": COUNTED,
        }
        for rating, row in zip(ratings, further, strict=True)
    ]
