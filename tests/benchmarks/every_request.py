"""What does each request about a batch with very many ratings cost the web process?

    python -m tests.benchmarks.every_request --questionnaires 10000 --raters 500
    DATABASE_URL=postgres://... python -m tests.benchmarks.every_request --above 0.2

The batch is that of `staff_pages`: 120,000 ratings by default. Every address that the site's table of
addresses has is asked by GET and by POST, as an admin, as a program or as a rater: while the batch is live,
with a report on it, and once it is frozen. Forms that need values get them (`asked_addresses`); others are
sent empty.

Each request is made twice, in a process of its own and in a transaction that is undone, so that none sees
what another has changed. Printed for those that take more than `--above` seconds of the processor or make the
process larger by `--grown` MB: seconds of the first and the second time, the size of the answer, and by how
much the process was larger at most, and at the end, than before.
"""

import argparse
import gc
import json
import os
import re
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.benchmarks.asked_addresses import REPORT, Asked, Site, Values, requests_of
from tests.benchmarks.own_site import NO_LIMITS, UNLIMITED, own_site
from tests.benchmarks.staff_pages import (
    MEGABYTE,
    apart,
    check,
    fill,
    find_out,
    freeze,
    memory,
    print_line,
    remark,
    seal,
)

SECRET = "a-secret-of-the-benchmark"
FEW = {"resamples": 50, "splits": 10, "simulations": 10, "agreement_resamples": 50, "shuffles": 50}


def ask(asked: Asked, site: Site) -> tuple[int, int]:
    """The state and the size of the answer."""
    from django.test import Client

    headers = {"Authorization": f"Bearer {site.token}"} if asked.is_of_program else {}
    client = Client(headers=headers, raise_request_exception=False)
    if asked.address.startswith("/s/"):
        client.cookies[site.cookie[0]] = site.cookie[1]
    elif not asked.is_of_program:
        client.force_login(site.user)
    if asked.method == "GET":
        answer = client.get(asked.address)
    elif asked.is_of_program:
        answer = client.post(asked.address, json.dumps(asked.body), content_type="application/json")
    else:
        answer = client.post(asked.address, asked.body)
    size = sum(map(len, answer)) if answer.streaming else len(answer.content)
    answer.close()
    return answer.status_code, size


def cost(asked: Asked, site: Site) -> Values:
    """What it takes of this process, which is used for nothing else."""
    from django.db import transaction

    took = []
    before = memory()
    Path("/proc/self/clear_refs").write_text("5")  # what it held at most is counted from here
    for _ in range(2):
        with transaction.atomic():
            start = time.process_time()
            state, size = ask(asked, site)
            took.append(time.process_time() - start)
            transaction.set_rollback(True)
    most = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) / 1024
    gc.collect()
    return {"state": state, "size": size, "took": took, "most": most - before, "held": memory() - before}


def cost_apart(asked: Asked, site: Site) -> Values:
    from django.db import connections

    connections.close_all()
    read, write = os.pipe()
    if not (child := os.fork()):
        os.close(read)
        try:
            found = cost(asked, site)
        except BaseException as error:
            found = {"error": f"{type(error).__name__}: {error}"}
        with os.fdopen(write, "w") as told:
            json.dump(found, told)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        found = json.load(told)
    os.waitpid(child, 0)
    return found


def ask_all(site: Site, title: str, above: float, grown: float, only: str) -> None:
    print_line(f"{title}:")
    told, states = 0, {}
    for asked in requests_of(site):
        if only and not re.search(only, f"{asked.method} {asked.address}"):
            continue
        found = cost_apart(asked, site)
        if "error" in found:
            print_line(f"  {asked.method} {asked.address}: {found['error']}")
            continue
        states[found["state"]] = states.get(found["state"], 0) + 1
        if max(found["took"]) >= above or found["most"] >= grown or found["state"] >= 500:
            told += 1
            first, again = found["took"]
            print_line(
                f"  {asked.method:4} {asked.address[:70]:70} {found['state']} {first:6.2f} {again:6.2f} s"
                f" {found['size'] / MEGABYTE:7.2f} MB sent {found['most']:+6.0f} MB at most"
                f" {found['held']:+6.0f} MB held"
            )
    print_line(f"  {told} told of {sum(states.values())} requests; states {dict(sorted(states.items()))}")


def make_site(batch: Any) -> Site:
    from django.core.signing import get_cookie_signer
    from django.utils import timezone

    from survey_site.accounts.models import User
    from survey_site.accounts.permissions import Scope
    from survey_site.accounts.tokens import make_token
    from survey_site.survey.models import Assignment
    from survey_site.survey.people.identity import COOKIE
    from survey_site.survey.people.joining import hash_key

    now = timezone.now()
    user, _ = User.objects.get_or_create(username="asker", role="admin")
    made = make_token(user=user, name=f"benchmark {now}", scopes=list(Scope.values), days=2, now=now)
    page = Assignment.objects.filter(questionnaire__batch=batch).select_related("rater").order_by("pk")[9]
    page.rater.key_hash = hash_key(SECRET)
    page.rater.save()
    values = {
        "batch": batch.pk,
        "name": batch.name,
        "corpus": batch.corpus_id,
        "code": page.rater.code,
        "page": page.code,
        "token": batch.token,
        "language": "en",
        "user": user.pk,
        "kind": "batch",
        "username": user.username,
        "exclusion": 1,
        "run": 1,
        "report": 1,
        "other": 1,
    }
    cookie = get_cookie_signer(salt=COOKIE + batch.token).sign(SECRET)
    return Site(values, (COOKIE, cookie), made.secret, user)


def with_reports(site: Site) -> Site:
    from survey_site.reports.models import Report

    reports = list(Report.objects.order_by("pk"))
    values = {"report": reports[-1].pk, "other": reports[0].pk, "run": reports[-1].runs.first().pk}
    return Site(site.values | values, site.cookie, site.token, site.user)


def build(quick: bool) -> None:
    """A report; a quick one rests on far fewer resamples and simulations than the site allows."""
    from django.utils import timezone

    from meta_eval.report.options import InferenceOptions
    from survey_site.batches.models import Batch
    from survey_site.reports.services import build_report, request_report

    asked = InferenceOptions.from_record

    def few(record: Values) -> InferenceOptions:
        return replace(asked(record), **FEW) if quick else asked(record)

    with patch.object(InferenceOptions, "from_record", few):
        report = request_report(batch=Batch.objects.get(), **REPORT, now=timezone.now())
        report = build_report(report=report)
    report.refresh_from_db()
    if not report.is_done:
        raise SystemExit(f"The report failed: {report.error}")


def prepare(questionnaires: int, raters: int) -> None:
    from django.utils import timezone

    apart("filling", lambda: fill(questionnaires, raters, now=timezone.now() - timedelta(days=1)))
    apart("remarks", remark)


def measure(quick: bool, above: float, grown: float, only: str) -> None:
    from django.conf import settings

    from survey_site.batches.models import Batch
    from survey_site.quality.kept import KeptFindings

    settings.ALLOWED_HOSTS = ["testserver"]
    site = make_site(Batch.objects.get())
    told = {"above": above, "grown": grown, "only": only}
    for asked in (Asked("GET", "/batches/"), Asked("GET", f"/batches/{site.values['batch']}/")):
        ask(asked, site)  # what is made once
    if not KeptFindings.objects.exists():
        ask(Asked("GET", f"/batches/{site.values['batch']}/quality/"), site)
        apart("a worker that reads the ratings", find_out)
    apart("a report", lambda: build(quick))
    apart("a worker that makes its bundle", seal)
    site = with_reports(site)
    ask_all(site, "Live, with a report", **told)
    apart("closing and freezing", freeze)
    ask(Asked("GET", f"/batches/{site.values['batch']}/freeze/"), site)
    apart("a worker that checks the snapshot", check)
    apart("a report", lambda: build(quick))
    ask_all(with_reports(site), "Frozen, with a report", **told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--questionnaires", type=int, default=10_000)
    parser.add_argument("--raters", type=int, default=500)
    parser.add_argument("--quick", action="store_true", help="reports of few resamples, there in two minutes")
    parser.add_argument("--above", type=float, default=0.3, help="seconds of the processor")
    parser.add_argument("--grown", type=float, default=20, help="MB")
    parser.add_argument("--only", default="", help="a regular expression of methods and addresses")
    given = parser.parse_args()
    with own_site(**NO_LIMITS, CONCORD_API_REQUESTS=UNLIMITED):
        prepare(given.questionnaires, given.raters)
        measure(given.quick, given.above, given.grown, given.only)


if __name__ == "__main__":
    main()
