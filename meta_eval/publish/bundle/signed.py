"""The options of a report with what its signatures name, to compute as it was computed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from meta_eval.measures import Measure
from meta_eval.measures.sealed import SealedDistances, sealed_measure
from meta_eval.measures.signatures import read_signature
from meta_eval.report.options import Part, ReportOptions, measure_id
from meta_eval.report.schema import Report, SignatureRow


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedOptions(ReportOptions):
    """The options of a report, with the signatures of its measures by how these were asked for.

    A measure that failed on one side has its signature from the other one. `sealed` are the distances that
    are taken as they are, by the digest of their signature.
    """

    signatures: Mapping[str, SignatureRow] = field(default_factory=dict)
    sealed: Mapping[str, SealedDistances] = field(default_factory=dict)

    @classmethod
    def of(cls, report: Report, sealed: Mapping[str, SealedDistances] | None = None) -> "SignedOptions":
        options = ReportOptions.from_record(report.options)
        named = {spec: row for (_, spec), row in signed_parts(report, options)}
        known = {name: getattr(options, name) for name in ReportOptions.__slots__}
        return cls(**known, signatures=named, sealed=sealed or {})

    def measure(self, spec: str) -> Measure:
        """With the words that the report was made with: what a language asks for may have changed since."""
        made = self.computing(spec)
        row = self.signatures.get(spec)
        if row is None or row.digest not in self.sealed:
            return made
        return sealed_measure(made, read_signature(row.signature), self.sealed[row.digest])

    def computing(self, spec: str) -> Measure:
        """The measure that computes distances itself, whatever is sealed."""
        made = ReportOptions.measure(self, spec)
        row = self.signatures.get(spec)
        return made.as_signed(row.signature) if row else made


def signed_parts(report: Report, options: ReportOptions) -> Iterator[tuple[Part, SignatureRow]]:
    """The parts of a report that have a signature, each with it."""
    signed: dict[Any, SignatureRow] = {(row.side, row.measure): row for row in report.signatures}
    for side, spec in options.parts:
        if row := signed.get((side, measure_id(spec))):
            yield (side, spec), row
