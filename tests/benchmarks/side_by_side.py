"""How many answers a second does the site acknowledge, beside Potato, with the same raters on the same pairs?

    pip install potato-annotation==2.12.1  # in an environment of its own: it is no part of this project
    python -m tests.benchmarks.side_by_side --potato ENVIRONMENT/bin/potato
    DATABASE_URL=postgres://... python -m tests.benchmarks.side_by_side --potato ENVIRONMENT/bin/potato
    python -m tests.benchmarks.side_by_side --behind-proxy --starts --raters 200

Real servers on loopback: ours as the demo runs it, with `--behind-proxy` as behind a proxy, where each
process takes few connections at a time; Potato by `potato start`. Windows on one and the other alternate, and
whichever is not asked rests. All raters come at once. Each joins, rates six pairs one after the other,
submits, and comes again as somebody new, without a pause (a closed loop), until the window is over; what is
under way then is finished. Potato, too, is given ten raters a pair and six pairs a person.

For each window: answers acknowledged within it, per second; the median and the 95th percentile of a rating
and of a start (from the link, or the name, to the first questionnaire) in milliseconds; the slowest start;
who was never answered; processor time of the server's processes for each acknowledged answer (PostgreSQL's
own is not in it); and the machine's load. Read the ratio of windows that follow each other.

`--starts` measures starts alone: so many people come at one moment, and each goes home with the first
questionnaire. Printed: the median and the slowest start, who got none, and the processor's seconds of the web
server and of PostgreSQL, where that runs on this machine.

The exit status is 1 where a request to our site went wrong or somebody was never answered.
"""

import argparse
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from tests.benchmarks.watching import WAIT_SECONDS, Tally, expect, watch, watch_starts

PAIRS = 6
DOCUMENTS, RATERS = 200, 10
PROCESSES = 2
BEHIND_PROXY = "--worker-connections 12 --keep-alive 0"
"""What gunicorn is told where a proxy holds the connections, as the compose file and the service tell it."""


@dataclass
class Concord:
    """The site, by its own link and pages, as `survey_site.rehearsal` sends them."""

    address: str
    token: str
    group: int
    vendor: str = "sqlite"
    name: str = "Concord"

    def rate_once(self, _number: int, tally: Tally, over: Event) -> None:
        """Be a new person, from the link to the last page; go home early when it is over."""
        from survey_site.rehearsal.browser import Browser

        browser, link = Browser(self.address), f"/s/{self.token}/"
        with tally.timed("start"):
            page = browser.get(link).body
            form = {name: _field(page, name) for name in ("csrfmiddlewaretoken", "key", "at_once")}
            shown = browser.post(f"{link}start/", form)
            found = re.search(r'action="([^"]+/q/[^"]+)"', shown.body)
            expect(found is not None, f"no questionnaire, but {shown.location or 'no way on'}")
            page, address = shown.body, found[1]
        form = {"csrfmiddlewaretoken": form["csrfmiddlewaretoken"], "tab": "t"}
        names = list(dict.fromkeys(re.findall(r'name="(rating-[^"]+)"', page)))
        for turn, name in enumerate(names):
            if over.is_set():
                return
            sent = {**form, "item": name.removeprefix("rating-"), "value": 3, "turn": turn}
            with tally.timed("rate"):
                stored = browser.post(f"{address}rate/", sent)
                expect(stored.status == 200, f"a rating was answered with {stored.status}")
        done = browser.post(address, {**form, "turn": len(names), **dict.fromkeys(names, 3)})
        expect(done.status == 302, f"submitting was answered with {done.status}")
        browser.get(done.location)


@dataclass
class Potato:
    """Potato, by the requests that its own page sends."""

    address: str
    group: int
    name: str = "Potato"

    def rate_once(self, number: int, tally: Tally, over: Event) -> None:
        from survey_site.rehearsal.browser import Browser

        browser = Browser(self.address)
        with tally.timed("start"):
            browser.post("/auth", {"email": f"rater-{number}", "pass": ""})
            page = browser.get("/annotate").body
            found = re.search(_ITEM, page)
            expect(found is not None, "no item on the first page")
        for _ in range(PAIRS):
            if over.is_set() or not (found := re.search(_ITEM, page)):
                return
            answer = {"instance_id": found[1], "annotations": {"similarity:3": "3"}, "span_annotations": ()}
            with tally.timed("rate"):
                stored = self._send(browser, "/updateinstance", answer)
                expect('"success"' in stored, f"a rating was answered with {stored[:80]!r}")
            page = self._send(browser, "/annotate", {"action": "next_instance", "instance_id": found[1]})

    @staticmethod
    def _send(browser: Any, path: str, content: dict[str, Any]) -> str:
        body = json.dumps(content).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        reply = browser._request("POST", path, body, headers)
        return str(reply.body)


_ITEM = r'id="instance_id"[^>]*value="([^"]+)"'


def _field(page: str, name: str) -> str:
    found = re.findall(rf'name="{name}" value="([^"]+)"', page)
    expect(bool(found), f"no {name} on the page")
    return str(found[-1])


@contextmanager
def concord() -> Iterator[Concord]:
    from django.db import connection

    from survey_site.operations import servers
    from survey_site.rehearsal.site import own_site

    servers.READY_SECONDS = WAIT_SECONDS
    with own_site(PROCESSES) as server:
        token = _launch_batch()
        group = server._process.pid if server._process else 0
        yield Concord(server.address, token, group, connection.vendor)


def _launch_batch() -> str:
    """A live batch of the demo's texts, many times over, six pairs a questionnaire."""
    from django.utils import timezone

    from meta_eval.corpus.documents import Corpus
    from survey_site.batches.services import BatchSettings, create_batch, launch_batch
    from survey_site.corpus.services import import_corpus

    copies = [replace(one, id=f"{one.id}-{n}") for n, one in zip(range(DOCUMENTS), _texts(), strict=False)]
    now = timezone.now()
    corpus = import_corpus(
        corpus=Corpus(tuple(copies)), name="many", source="jsonl", language="en", now=now
    ).corpus
    settings = BatchSettings(
        name="Benchmark",
        documents=DOCUMENTS,
        reader_pairs=1,
        seed=1,
        raters=RATERS,
        systems_per_questionnaire=PAIRS - 1,
    )
    return str(launch_batch(batch=create_batch(corpus=corpus, settings=settings, now=now), now=now).token)


def _texts() -> Iterator[Any]:
    """The demo's documents for ever, five systems and two readers of each."""
    from meta_eval.corpus.jsonl import read_jsonl
    from survey_site.demo.services import CORPUS_FILE

    documents = [_cut(one) for one in read_jsonl(CORPUS_FILE).documents]
    while True:
        yield from documents


def _cut(document: Any) -> Any:
    readers = sorted(document.references)[:2]
    systems = sorted(document.summaries)[: PAIRS - 1]
    return replace(
        document,
        references={reader: document.references[reader] for reader in readers},
        summaries={
            system: {reader: document.summaries[system][reader] for reader in readers} for system in systems
        },
    )


@contextmanager
def potato(program: Path) -> Iterator[Potato]:
    from survey_site.operations.servers import child_process, free_port

    with tempfile.TemporaryDirectory(prefix="potato-") as name:
        folder, port = Path(name), free_port(0)
        config = _potato_task(folder)
        # It reads only tasks that lie below the folder in which it is started.
        command = ["env", "-C", name, str(program), "start", config.name, "-p", str(port)]
        command += ["--require-password", "false"]
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with child_process("potato", command, folder, own) as process:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, process, folder / "potato.log")
            yield Potato(address, process.pid)


def _potato_task(folder: Path) -> Path:
    """Its items are our pairs, without the article that our raters read too."""
    pairs = [
        {"id": f"{n}-{author}", "text": f"Text 1: {a}\n\nText 2: {b}"}
        for n, one in zip(range(DOCUMENTS), _texts(), strict=False)
        for author, texts in [("gold", one.references), *one.summaries.items()]
        for a, b in [texts.values()]
    ]
    (folder / "items.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
    scheme = {"annotation_type": "radio", "name": "similarity", "labels": list("123456")}
    task = {
        "annotation_task_name": "Similarity",
        "task_dir": str(folder),
        "output_annotation_dir": str(folder / "answers"),
        "output_annotation_format": "jsonl",
        "data_files": [str(folder / "items.jsonl")],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "user_config": {"allow_all_users": True, "users": []},
        "require_password": False,
        "max_annotations_per_user": PAIRS,
        "max_annotations_per_item": RATERS,
        "annotation_schemes": [scheme | {"description": "How similar are the two texts in what they say?"}],
    }
    (folder / "task.yaml").write_text(json.dumps(task))
    return folder / "task.yaml"


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    from survey_site.rehearsal.browser import Browser, NoAnswer

    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            Browser(address).get("/")
        except NoAnswer:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"Potato does not answer. It wrote:\n{log.read_text()[-2000:]}")


def compare(sites: list[Any], given: argparse.Namespace) -> bool:
    """Whether nothing went wrong with ours, which is the first."""
    look, went_well = watch_starts if given.starts else watch, True
    for number in map(int, given.raters.split(",")):
        for _ in range(given.rounds):
            for site in sites:
                figures = look(site, number, given.seconds)
                said = ", ".join(
                    f"{name} {value:.{2 if name.endswith(' s') else 1}f}" for name, value in figures.items()
                )
                sys.stdout.write(f"{site.name}, {number} raters: {said}\n")
                sys.stdout.flush()
                went_well &= site is not sites[0] or not (figures["faults"] or figures["unanswered"])
    return went_well


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--potato", type=Path, help="its program; without it the site is measured alone")
    parser.add_argument("--raters", default="12,50,200,500", help="numbers, with commas between them")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each window")
    parser.add_argument("--rounds", type=int, default=2, help="windows of each side and number of raters")
    parser.add_argument("--behind-proxy", action="store_true", help=f"gunicorn with {BEHIND_PROXY}")
    parser.add_argument(
        "--starts", action="store_true", help="people who come at one moment, and start alone"
    )
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started is ended then too
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "survey_site.settings",
            "SECRET_KEY": secrets.token_urlsafe(50),
            "CONCORD_DATA_DIR": folder,
        }
        if given.behind_proxy:
            own = os.environ.get("GUNICORN_CMD_ARGS", "")
            os.environ["GUNICORN_CMD_ARGS"] = f"{own} {BEHIND_PROXY}".strip()
        import django

        django.setup()
        with ExitStack() as running:
            sites: list[Any] = [running.enter_context(concord())]
            if given.potato:
                sites.append(running.enter_context(potato(given.potato.resolve())))
            for site in sites:  # what is made once
                watch(site, 4, 4.0)
            if not compare(sites, given):
                raise SystemExit("Something went wrong with our site.")


if __name__ == "__main__":
    main()
