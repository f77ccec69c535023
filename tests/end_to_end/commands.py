"""The benchmarks as commands, each in a process of its own with the servers that it brings."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 1800  # for machines that are busy with something else
GRACE_SECONDS = 60


def environment(folder: Path, **own: str) -> dict[str, str]:
    """The defaults of one machine whatever the tests run with, and a folder for all that is temporary."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SECRET_KEY")}
    return {**kept, "TMPDIR": str(folder), "OMP_NUM_THREADS": "1", **own}


def benchmark(name: str, *options: str, environment: dict[str, str]) -> str:
    """What it printed; it ended well. One that takes too long is told to end, so that its servers end too."""
    command = [sys.executable, "-m", f"tests.benchmarks.{name}", *options]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            said, _ = process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                said, _ = process.communicate(timeout=GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                said, _ = process.communicate()
    assert process.returncode == 0, said
    return said
