"""The command line, run in the test's own process: the same code as in one of its own, without the start."""

import io
import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout

from meta_eval.cli import main


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """What a process of the command would leave: exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    typed, status = [str(argument) for argument in arguments], 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(typed)
        except SystemExit as left:
            status = left.code
    return subprocess.CompletedProcess(typed, status or 0, out.getvalue(), err.getvalue())


def run_process(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it."""
    command = [sys.executable, "-m", "meta_eval", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def results(*arguments: object) -> list[dict]:
    """The records that the command writes to standard output."""
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
