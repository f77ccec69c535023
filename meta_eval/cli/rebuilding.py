"""Scores of each document, from the systems' scores that files hold: computed again, and held against them.

Intervals about other documents or raters need more than a score of each system. What it takes stands in the
records: measures with their options, the scale, how many ratings a pair needs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import InputError
from meta_eval.measures import Measure, Signature, make_measure
from meta_eval.measures.base import default_options
from meta_eval.measures.registry import measure_class
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.scores.automatic import AutomaticScores, score_systems
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.human import HumanScores, score_humans
from meta_eval.scores.perseval import PenaltyOptions

Record = Mapping[str, Any]

_AGREE = 1e-6


def rebuild_automatic(
    records: Sequence[Record], corpus: Corpus, store: DistanceStore | None
) -> dict[str, AutomaticScores]:
    """Scores by measure. Raises `InputError` where they are not those of the records."""
    made = {}
    for name, head in _heads(records, "measure").items():
        systems = [record["system"] for record in records if record["measure"] == name]
        made[name] = score_systems(
            corpus,
            _measure(head),
            systems=systems,
            normalise=head["normalise"],
            options=_options(head),
            store=store,
        )
        _require_signature(made[name].distances.signature, head)
        _require_same(made[name].records(), records, "measure", ("perseval", "degress"))
    return made


def rebuild_human(
    records: Sequence[Record], corpus: Corpus, ratings: Sequence[Rating], store: DistanceStore | None
) -> dict[str, HumanScores]:
    """Scores by surrogate. Raises `InputError` where they are not those of the records."""
    made = {}
    for name, head in _heads(records, "surrogate").items():
        found = human_divergences(
            ratings, scale=head["scale"], full=head["raters_per_pair"], min_raters=head["min_raters"]
        )
        made[name] = score_humans(
            corpus,
            found,
            _measure(head),
            normalise=head["normalise"],
            options=_options(head),
            store=store,
        )
        _require_signature(made[name].surrogate.signature, head)
        _require_same(made[name].records(), records, "surrogate", ("perseval_hj", "degress_hj"))
    return made


def _heads(records: Sequence[Record], key: str) -> dict[str, Record]:
    """The first record of each measure: what the measure depends on is the same in all."""
    needed = {"system", key, "normalise", "beta", "include_self", "signature"}
    needed |= {"scale", "raters_per_pair", "min_raters"} if key == "surrogate" else set()
    for number, record in enumerate(records, start=1):
        if missing := sorted(needed - set(record)):
            raise InputError(f"record {number} lacks {', '.join(missing)}: write it again with this version")
    heads: dict[str, Record] = {}
    for record in records:
        heads.setdefault(record[key], record)
    return heads


def _measure(head: Record) -> Measure:
    """The measure that a signature names, before it counts anything over a corpus."""
    signature = head["signature"]
    mode = signature.get("mode", "paper")
    known = default_options(measure_class(signature["measure"], mode))
    return make_measure(
        signature["measure"],
        mode=mode,
        preprocess=signature.get("preprocess"),
        **{name: value for name, value in _signed_options(signature).items() if name in known},
    )


def _signed_options(signature: Record) -> dict[str, Any]:
    """Options as they are given to a measure: a signature names what the measure made of some of them."""
    options = dict(signature.get("options") or {})
    if "idf" in options:  # the hash of the frequencies, once they are counted
        options["idf"] = bool(options["idf"])
    if options.get("baseline") is not None:  # the number, wherever it was read
        options["baseline"] = repr(options["baseline"])
    named = {name: signature[name] for name in ("model", "max_length") if name in signature}
    if "revision" in signature and not Path(named.get("model", "")).expanduser().is_dir():
        named["revision"] = signature["revision"]  # of a folder it is the hash of its files
    return options | named


def _options(head: Record) -> ScoreOptions:
    return ScoreOptions(PenaltyOptions(beta=head["beta"]), include_self=head["include_self"])


def _require_signature(made: Signature, head: Record) -> None:
    """Library versions may differ: whether they change anything, the scores will tell."""
    wanted = {**head["signature"], "versions": {}}
    if replace(made, versions={}).digest == Signature(**wanted).digest:
        return
    here = made.as_dict()
    names = [name for name in here | wanted if name != "versions" and here.get(name) != wanted.get(name)]
    raise InputError(
        f"{made.measure} is not here what it was when the file was made; it differs in {', '.join(names)}: "
        "give the models and files that it was made with, or make the scores again"
    )


def _require_same(made: Sequence[Record], records: Sequence[Record], key: str, scores: Sequence[str]) -> None:
    given = {(record[key], record["system"]): record for record in records}
    for row in made:
        known = given.get((row[key], row["system"]), {})
        for score in scores:
            if not _same(row[score], known.get(score)):
                raise InputError(
                    f"{score} of {row['system']} by {row[key]} is {known.get(score)} in the file and "
                    f"{row[score]} of this corpus and these ratings: give those that the file was made from"
                )


def _same(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is second
    return isclose(first, second, rel_tol=_AGREE, abs_tol=_AGREE)
