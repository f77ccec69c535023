"""A report sealed with everything it was computed from, and the check that recomputes it from that alone."""

from meta_eval.publish.bundle.verification import Difference, FileFault, NotRecomputed, Verification
from meta_eval.publish.bundle.verifying import verify_bundle
from meta_eval.publish.bundle.writing import BundleContent, write_bundle

__all__ = [
    "BundleContent",
    "Difference",
    "FileFault",
    "NotRecomputed",
    "Verification",
    "verify_bundle",
    "write_bundle",
]
