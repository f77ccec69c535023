"""`manage.py demo` as `make demo` runs it: a process that serves without torch, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.end_to_end.only_locked import hide_others
from tests.end_to_end.terminal import heed_ctrl_c

ROOT = Path(__file__).parents[2]
READY = "Ctrl-C stops it"
PATIENCE_SECONDS = 600  # for machines that are busy with something else


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Its own data folder, the locked packages alone, and the defaults of one machine."""
    kept = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "CELERY_BROKER_URL")
    }
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "survey_site.settings",
        "CONCORD_DATA_DIR": str(tmp_path_factory.mktemp("demo") / "data"),
        "PYTHONPATH": hide_others(tmp_path_factory.mktemp("hiding")),
    }


@pytest.fixture(scope="module")
def prepared(environment):
    """What the command said that made the demonstration, once for all that is asked of it."""
    return prepare(environment)


def prepare(environment):
    command = [sys.executable, "manage.py", "demo", "--no-serve"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_what_a_newcomer_runs_has_no_torch(environment):
    names = ["torch", "transformers", "ot", "pytest", "django"]
    code = f"from importlib.util import find_spec; print(*map(bool, map(find_spec, {names})))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "False False False False True\n"


def members_of_session(session: int) -> set[int]:
    """Processes whose session is the given one, and those that name it as a parent."""
    table = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,sid="], capture_output=True, text=True, check=True
    ).stdout
    rows = [tuple(map(int, line.split())) for line in table.splitlines()]
    found = {pid for pid, _, sid in rows if sid == session}
    while more := {pid for pid, parent, _ in rows if parent in found} - found:
        found |= more
    return found


def still_running(pids: set[int]) -> list[int]:
    """Those that do not end; what was killed may take a moment to go, and nobody may clear it away."""
    deadline = time.monotonic() + 30
    while (left := [pid for pid in pids if _is_running(pid)]) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def wait_for_output(process: subprocess.Popen, log: Path) -> str:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if READY in log.read_text():
            return log.read_text()
        time.sleep(0.2)
    raise AssertionError(f"not ready, exit status {process.poll()}:\n{log.read_text()}")


def test_it_serves_what_it_prints_and_ctrl_c_leaves_nothing_running(environment, prepared, tmp_path):
    log = tmp_path / "demo.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--port", "0"],
            cwd=ROOT,
            env=environment,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
            preexec_fn=heed_ctrl_c,  # noqa: PLW1509 - it takes no lock
        )
    try:
        text = wait_for_output(process, log)
        pages = re.findall(r"http://127\.0\.0\.1:\d+/\S*", text)
        assert len(pages) == 7
        for page in pages:
            with urlopen(page, timeout=30) as answer:
                assert answer.status == 200
        started = members_of_session(process.pid)
        assert len(started) >= 4
    finally:
        os.kill(process.pid, signal.SIGINT)
        process.wait(PATIENCE_SECONDS)
    assert process.returncode == 0, log.read_text()
    assert still_running(started) == []


def start(environment, *options):
    """The command as a terminal starts it, with all that it says in one stream."""
    return subprocess.Popen(
        [sys.executable, "manage.py", "demo", *options],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,  # noqa: PLW1509 - it takes no lock
    )


def read_until(process, words):
    """What it says up to the line with these words."""
    said = []
    for line in process.stdout:
        said.append(line)
        if words in line:
            return "".join(said)
    raise AssertionError(f"it ended without saying {words!r}:\n{''.join(said)}")


@pytest.mark.parametrize(
    "signs",
    [(signal.SIGTERM,), (signal.SIGINT, signal.SIGINT), (signal.SIGINT, signal.SIGTERM, signal.SIGINT)],
    ids=lambda signs: " ".join(sign.name for sign in signs),
)
def test_it_ends_quietly_whatever_asks_it_to_and_however_often(environment, prepared, signs):
    process = start(environment, "--port", "0")
    read_until(process, READY)
    started = members_of_session(process.pid)
    os.kill(process.pid, signs[0])
    said = read_until(process, "Stopping ...")
    for sign in signs[1:]:
        os.kill(process.pid, sign)
    rest, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert ((said + rest).strip(), process.returncode) == ("Stopping ...", 0)
    assert len(started) >= 4
    assert still_running(started) == []


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_can_be_stopped_before_it_is_ready(environment, tmp_path, sign):
    process = start({**environment, "CONCORD_DATA_DIR": str(tmp_path / "data")}, "--no-serve")
    read_until(process, "Preparing the database")
    os.kill(process.pid, sign)
    said, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert said.strip() == "Stopped before the site was ready; `make demo` goes on where it stopped."
    assert process.returncode == 130


def test_without_serving_it_prints_the_same_twice(environment, prepared):
    again = prepare(environment)
    assert again.split("\nOpen:")[1] == prepared.split("\nOpen:")[1]
    assert "Imported Demo corpus: 24 documents, 10 systems." in prepared
    assert "Found Demo corpus: 24 documents, 10 systems." in again
