"""Ctrl-C is heard wherever it comes, once."""

import os
import signal
import subprocess
import sys
import time

import pytest

from survey_site.operations.servers import ENDING_SIGNALS, INTERRUPTED, interrupted_once
from survey_site.settings.table import BASE_DIR


class InterruptedAtItsEnd:
    """While it is dropped, where Python ignores whatever is raised, the signal comes."""

    def __init__(self, sign):
        self._sign = sign

    def __del__(self):
        os.kill(os.getpid(), self._sign)
        time.sleep(0.01)


@pytest.fixture
def _handlers():
    """Those of the tests, which stay ignored after an interrupt."""
    before = {sign: signal.getsignal(sign) for sign in (*ENDING_SIGNALS, signal.SIGALRM)}
    yield
    for sign, handler in before.items():
        signal.signal(sign, handler)


def work_interrupted(sign):
    with interrupted_once():
        InterruptedAtItsEnd(sign)
        time.sleep(30)


@pytest.mark.usefixtures("_handlers")
@pytest.mark.parametrize("sign", ENDING_SIGNALS)
def test_an_interrupt_that_python_ignores_is_raised_again(sign, capsys):
    hook = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt):
        work_interrupted(sign)
    assert sys.unraisablehook is hook
    assert capsys.readouterr().err == ""


def test_while_the_site_is_loading_a_command_ends_quietly_too(tmp_path):
    """Settings are what is loaded first."""
    (tmp_path / "interrupted_settings.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "interrupted_settings",
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(BASE_DIR)]),
    }
    command = [sys.executable, "manage.py", "demo"]
    ended = subprocess.run(
        command, cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "")
