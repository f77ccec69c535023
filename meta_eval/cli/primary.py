"""The primary coefficient as the command line names it."""

from collections.abc import Sequence

from meta_eval.cli.options import plain
from meta_eval.errors import InputError
from meta_eval.report.options import measure_id
from meta_eval.report.primary import Primary, PrimaryScore
from meta_eval.stats.coefficients.registry import Coefficient


def read_primary(
    coefficient: Coefficient | None, surrogate: str | None, score: PrimaryScore, surrogates: Sequence[str]
) -> Primary | None:
    """What `--primary`, `--primary-surrogate` and `--primary-score` name, of a report by these surrogates.

    Raises `InputError` where they leave more than one family of tests, or name one that is not there.
    """
    ids = [measure_id(spec) for spec in surrogates]
    if coefficient is None:
        if surrogate is not None:
            raise InputError("--primary-surrogate goes with --primary COEFFICIENT")
        return None
    if surrogate is None and len(ids) > 1:
        raise InputError(
            f"there are {len(ids)} surrogates, so the primary coefficient is not one family of tests: name "
            f"one of {', '.join(ids)} with --primary-surrogate"
        )
    chosen = ids[0] if surrogate is None else measure_id(surrogate)
    if chosen not in ids:
        raise InputError(
            f"--primary-surrogate {chosen} is not among the report's surrogates: {', '.join(ids)}"
        )
    return Primary(coefficient=plain([coefficient])[0], surrogate=chosen, score=score)
