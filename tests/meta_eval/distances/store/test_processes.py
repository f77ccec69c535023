"""Runs in processes of their own: killed and resumed, and two at once."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from meta_eval.distances.computing import compute_distances
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.distances.store.files import TEMPORARY
from meta_eval.distances.store.signature_parts import PARTS
from meta_eval.distances.store.upkeep import store_info
from tests.meta_eval.conftest import REPOSITORY
from tests.meta_eval.distances.store import worker
from tests.meta_eval.distances.store.worker import (
    DOCUMENTS,
    REAL_DOCUMENTS,
    REAL_SHARD,
    SECONDS,
    SHARD,
    Drifting,
    make_corpus,
)
from tests.meta_eval.neural_models import save_bert

SHARDS = DOCUMENTS // SHARD


def start(
    store: Path, folder: Path, *measures: str, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "tests.meta_eval.distances.store.worker",
        str(store),
        str(folder),
        *measures,
    ]
    return subprocess.Popen(command, cwd=REPOSITORY, stdin=stdin, stdout=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> int:
    """The pairs that the process compared."""
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return int(output.split()[-1])


def kill_at_random(process: subprocess.Popen[str], shards: int, first: int = 1) -> None:
    """SIGKILL at some moment from shard `first` on and before shard `shards`: each next one waits for us."""
    for _ in range(random.randrange(first, shards)):
        line = process.stdout.readline()
        while line.startswith("compared"):  # one measure is done
            line = process.stdout.readline()
        assert line
        process.stdin.write("go on\n")
        process.stdin.flush()
    time.sleep(random.uniform(0, 2 * SECONDS))
    process.kill()
    process.communicate()


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")  # what a killed process had begun to write
    }


def test_a_run_killed_three_times_and_resumed_gives_the_same_bytes(tmp_path):
    whole = finish(start(tmp_path / "store", tmp_path / "whole"))
    kept = []
    for _ in range(3):
        process = start(tmp_path / "resumed-store", tmp_path / "resumed", stdin=subprocess.PIPE)
        kill_at_random(process, SHARDS // 3)
        kept.append(store_info(str(tmp_path / "resumed-store")).parts)
        assert not (tmp_path / "resumed").exists()
    resumed = finish(start(tmp_path / "resumed-store", tmp_path / "resumed"))
    assert contents(tmp_path / "resumed") == contents(tmp_path / "whole")
    assert 1 <= kept[0] <= kept[1] <= kept[2] < SHARDS
    assert resumed * SHARDS == whole * (SHARDS - kept[-1])


def parts(store: Path) -> dict[str, bytes]:
    """The parts: what a store keeps, but for when it was used and what a killed writer left unfinished."""
    return {
        name: data
        for name, data in contents(store).items()
        if Path(name).parent.name == PARTS and not Path(name).name.startswith(TEMPORARY)
    }


def test_real_measures_killed_three_times_and_resumed_give_the_same_bytes(tmp_path, monkeypatch):
    """A measure over words, one about documents, and both neural ones, one after the other in a process.

    What is not killed runs here, where torch is loaded already.
    """
    monkeypatch.setattr(worker, "say_and_wait", lambda _done: None)
    neural = f"model={save_bert(tmp_path / 'model')},device=cpu,max_length=32"
    measures = ("rouge-su4", "jsd-oov", f"infolm:{neural}", f"bertscore:{neural},layer=2")
    shards = len(measures) * REAL_DOCUMENTS // REAL_SHARD
    third = shards // 3 + 1
    worker.main(str(tmp_path / "store"), str(tmp_path / "whole"), *measures)
    kept = []
    for kill in range(3):  # the first hits words, the last what is neural
        process = start(tmp_path / "resumed-store", tmp_path / "resumed", *measures, stdin=subprocess.PIPE)
        kill_at_random(process, (kill + 1) * third - 2, 1 + kill * third)
        kept.append(len(parts(tmp_path / "resumed-store")))
    worker.main(str(tmp_path / "resumed-store"), str(tmp_path / "resumed"), *measures)
    whole = parts(tmp_path / "store")
    assert 1 <= kept[0] < kept[1] < kept[2] < len(whole) == shards
    assert parts(tmp_path / "resumed-store") == whole
    assert contents(tmp_path / "resumed") == contents(tmp_path / "whole")


def test_two_processes_that_write_at_once_leave_one_sound_store(tmp_path):
    store = tmp_path / "store"
    both = [start(store, tmp_path / name) for name in ("one", "two")]
    for process in both:
        finish(process)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    again = compute_distances(make_corpus(), Drifting(), store=DistanceStore(str(store)))
    assert (again.counts.compared, again.counts.encoded) == (0, 0)
    assert store_info(str(store)).parts == SHARDS


THREADS_AFTER_READING = """
import os, sys
from meta_eval.distances.computing import compute_distances
from meta_eval.distances.store import parts
from meta_eval.distances.store.distance_store import DistanceStore
from tests.meta_eval.distances.store.worker import Drifting, make_corpus
before = len(os.listdir("/proc/self/task"))
found = compute_distances(make_corpus(), Drifting(), store=DistanceStore(sys.argv[1]))
print(found.counts.compared, len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads in /proc, which Linux has")
def test_reading_a_store_leaves_no_threads_that_could_abort_the_end(tmp_path):
    finish(start(tmp_path / "store", tmp_path / "whole"))
    command = [sys.executable, "-c", THREADS_AFTER_READING, str(tmp_path / "store")]
    read = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert read.stdout == "0 0\n"
