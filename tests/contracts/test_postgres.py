"""`python -m tests.postgres` on a machine without PostgreSQL: it brings a server, and takes it away again."""

import os
import signal
import subprocess
import sys

from tests.postgres import ENDED

COMMAND = """
import os, sys, psycopg
url = os.environ["DATABASE_URL"]
user, socket = url.removeprefix("postgres://").partition("@/")[::2]
with psycopg.connect(host=os.path.dirname(socket), user=user, dbname=os.path.basename(socket)) as connection:
    print(os.path.dirname(socket), connection.info.backend_pid > 0, flush=True)
sys.stdin.read()
"""


def test_a_server_that_was_brought_ends_when_the_command_is_ended():
    environment = {**os.environ, "TEST_DATABASE_URL": "embedded"}
    command = [sys.executable, "-m", "tests.postgres", sys.executable, "-c", COMMAND]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        folder, answered = process.stdout.readline().rsplit(" ", 1)
        there = os.path.isdir(folder)
        process.send_signal(signal.SIGTERM)
        assert process.wait() == ENDED
    assert (answered.strip(), there, os.path.exists(folder)) == ("True", True, False)
