"""Who writes to SQLite waits in a queue: first come, first served, and no place is kept for good."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from threading import Thread

import pytest
from django.db import IntegrityError, OperationalError, connections, transaction

from survey_site.common.sqlite3.base import DatabaseWrapper
from survey_site.common.sqlite3.queue import FairLock, WriterQueue, writer_queue
from survey_site.settings.base import database

QUEUED = "queued"
PATIENCE = 60.0


@pytest.fixture
def connect(django_db_blocker):
    """Connects QUEUED to a database by name, whatever the site's own database is; gives the connection."""

    @contextmanager
    def connected(name):
        config = connections["default"].settings_dict | database("sqlite:////tmp/none") | {"NAME": str(name)}
        connections[QUEUED] = DatabaseWrapper(config, QUEUED)
        with django_db_blocker.unblock():
            write("CREATE TABLE word (word TEXT UNIQUE)")
            yield connections[QUEUED]
            connections[QUEUED].close()
        del connections[QUEUED]

    return connected


@pytest.fixture
def queue(connect, tmp_path):
    with connect(tmp_path / "site.sqlite3") as connection:
        yield writer_queue(connection.settings_dict["NAME"])


def write(statement: str) -> None:
    with connections[QUEUED].cursor() as cursor:
        cursor.execute(statement)


def is_free(queue: WriterQueue) -> bool:
    try:
        queue.enter(timeout=0)
    except OperationalError:
        return False
    queue.leave()
    return True


def wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        os.sched_yield()


def other_process(path: object, code: str) -> subprocess.Popen[str]:
    """Another process with the `queue` of the same database; it says a line for each step."""
    code = f"{_QUEUE % str(path)}\n{code}"
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


_QUEUE = "from survey_site.common.sqlite3.queue import WriterQueue; queue = WriterQueue(%r)"


def test_threads_are_served_in_the_order_in_which_they_came():
    lock, served = FairLock(), []

    def wait_and_note(number):
        assert lock.acquire(PATIENCE)
        served.append(number)
        lock.release()

    assert lock.acquire(0)
    threads = [Thread(target=wait_and_note, args=[number]) for number in range(8)]
    for number, thread in enumerate(threads, start=1):
        thread.start()
        wait_until(lambda number=number: lock.waiting == number)
    lock.release()
    assert lock.acquire(PATIENCE)  # who comes last is served last
    assert served == list(range(8))
    for thread in threads:
        thread.join()


def test_who_gives_up_waiting_leaves_the_line():
    lock = FairLock()
    assert lock.acquire(0)
    assert not lock.acquire(0.001)
    assert lock.waiting == 0
    lock.release()
    assert lock.acquire(0)


def test_a_wait_that_a_signal_ends_leaves_the_line():
    lock = FairLock()
    assert lock.acquire(0)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            lock.acquire(PATIENCE)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert lock.waiting == 0
    lock.release()
    assert lock.acquire(0)


def test_the_queue_is_for_whom_the_database_is_for(tmp_path):
    path = tmp_path / "shared.sqlite3"
    path.touch()
    path.chmod(0o660)
    WriterQueue(str(path))
    assert stat.S_IMODE((tmp_path / "shared.sqlite3-queue").stat().st_mode) == 0o660


def test_who_has_just_written_does_not_overtake_another_process(tmp_path):
    queue, said = WriterQueue(str(tmp_path / "site")), tmp_path / "said"
    queue.enter(0)
    code = f"queue.enter({PATIENCE}); open({str(said)!r}, 'a').write('other '); queue.leave()"
    with other_process(tmp_path / "site", code) as other:
        wait_until(lambda: other.poll() is not None or not queue.nobody_is_next())
        queue.leave()
        queue.enter(PATIENCE)
        with said.open("a") as file:
            file.write("own")
        queue.leave()
    assert (other.returncode, said.read_text()) == (0, "other own")


def test_a_killed_process_keeps_no_place(tmp_path):
    queue = WriterQueue(str(tmp_path / "site"))
    with other_process(tmp_path / "site", "queue.enter(0); print('in', flush=True); input()") as other:
        assert other.stdout.readline() == "in\n"
        assert not is_free(queue)
        other.kill()
    assert is_free(queue)


FORK = """
import os
from django.db import OperationalError
from survey_site.common.sqlite3.queue import writer_queue
writer_queue(path).enter(0)
child_says, parent_hears = os.pipe()[::-1]
if os.fork() == 0:
    try: writer_queue(path).enter(0)
    except OperationalError: os.write(child_says, b"refused")
    else: os.write(child_says, b"let in")
    writer_queue(path).enter(60)
    print("let in later", flush=True)
    os._exit(0)
print(os.read(parent_hears, 20).decode(), flush=True)
writer_queue(path).leave()
os.wait()
"""


def test_a_forked_process_queues_for_itself(tmp_path):
    """With its parent's place two would write at once; with its parent's line it would wait for ever."""
    path = str(tmp_path / "site")
    with other_process(path, f"path = {path!r}\n{FORK}") as parent:
        assert parent.communicate()[0] == "refused\nlet in later\n"


def fail_in_the_middle():
    write("INSERT INTO word VALUES ('lost')")
    raise KeyError


def fail_by_a_constraint():
    write("INSERT INTO word VALUES ('twice')")
    write("INSERT INTO word VALUES ('twice')")


def fail_within_and_go_on():
    with pytest.raises(KeyError), transaction.atomic(using=QUEUED):
        fail_in_the_middle()
    write("INSERT INTO word VALUES ('kept')")


def close_the_connection():
    connections[QUEUED].close()


@pytest.mark.parametrize(
    ("work", "error", "kept"),
    [
        pytest.param(lambda: write("INSERT INTO word VALUES ('kept')"), None, ["kept"], id="commit"),
        pytest.param(fail_in_the_middle, KeyError, [], id="rollback"),
        pytest.param(fail_by_a_constraint, IntegrityError, [], id="constraint"),
        pytest.param(fail_within_and_go_on, None, ["kept"], id="nested"),
        pytest.param(close_the_connection, None, [], id="connection closed"),
    ],
)
def test_a_transaction_has_the_place_until_it_ends(queue, work, error, kept):
    expected = pytest.raises(error) if error else transaction.atomic(using=QUEUED)
    with expected, transaction.atomic(using=QUEUED):
        assert not is_free(queue)
        work()
    assert is_free(queue)
    with connections[QUEUED].cursor() as cursor:
        assert [word for (word,) in cursor.execute("SELECT word FROM word")] == kept


def test_what_cannot_begin_leaves_the_queue(queue, monkeypatch):
    monkeypatch.setattr(connections[QUEUED], "transaction_mode", "NONSENSE")
    with pytest.raises(OperationalError, match="syntax error"), transaction.atomic(using=QUEUED):
        pytest.fail("nothing begins")
    assert is_free(queue)


def test_where_the_queue_is_stuck_the_time_limit_ends_the_wait(queue):
    connections[QUEUED].settings_dict["OPTIONS"]["timeout"] = 0
    queue.enter(0)
    with pytest.raises(OperationalError, match="database is locked"), transaction.atomic(using=QUEUED):
        pytest.fail("nothing begins")
    queue.leave()
    with transaction.atomic(using=QUEUED):
        write("INSERT INTO word VALUES ('kept')")


def test_a_database_in_memory_has_no_queue(connect, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with connect(":memory:"):
        with transaction.atomic(using=QUEUED):
            write("INSERT INTO word VALUES ('kept')")
        with connections[QUEUED].cursor() as cursor:
            assert cursor.execute("SELECT word FROM word").fetchall() == [("kept",)]
    assert list(tmp_path.iterdir()) == []
