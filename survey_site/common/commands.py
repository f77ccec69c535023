"""What commands of the site have in common."""

from django.core.management.base import CommandError, OutputWrapper

from meta_eval.errors import InputError


def faults_error(error: InputError, stderr: OutputWrapper, *, outcome: str) -> CommandError:
    """Each fault on a line of stderr, and the error to end with; `outcome` as in "Nothing was stored"."""
    for fault in error.faults:
        stderr.write(str(fault))
    total = len(error.faults) + error.more
    shown = f", the first {len(error.faults)} are listed above" if error.more else ""
    return CommandError(f"{outcome}: {total} fault{'s' * (total != 1)}{shown}.")
