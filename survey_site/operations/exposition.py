"""The text format of Prometheus (0.0.4): families of samples with their labels."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True)
class Sample:
    """One value. `part` follows the family's name: _bucket, _sum and _count of a histogram, else nothing."""

    value: float
    labels: Mapping[str, str]
    part: str = ""


@dataclass(frozen=True)
class Family:
    """All samples of one name. `kind`: counter, gauge or histogram."""

    name: str
    kind: str
    help: str
    samples: Sequence[Sample]


def exposition(families: Iterable[Family]) -> str:
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def histogram(
    labels: Mapping[str, str], bounds: Sequence[float], counts: Sequence[int], total: float
) -> Iterator[Sample]:
    """Samples of one histogram, from the counts of each bucket, the last of what is above all bounds."""
    reached = list(accumulate(counts))
    for bound, count in zip((*bounds, math.inf), reached, strict=True):
        yield Sample(count, {**labels, "le": _number(bound)}, "_bucket")
    yield Sample(total, labels, "_sum")
    yield Sample(reached[-1], labels, "_count")


def _lines(family: Family) -> Iterator[str]:
    yield f"# HELP {family.name} {_escaped(family.help)}"
    yield f"# TYPE {family.name} {family.kind}"
    for one in family.samples:
        labels = ",".join(f'{name}="{_quoted(value)}"' for name, value in one.labels.items())
        yield f"{family.name}{one.part}{f'{{{labels}}}' if labels else ''} {_number(one.value)}"


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', r"\"")
