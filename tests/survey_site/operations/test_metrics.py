"""What Prometheus reads, and who may."""

import re
from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone

from survey_site.operations.exposition import Family, Sample, exposition, histogram
from survey_site.operations.models import BackupMade
from survey_site.operations.presence import FORGOTTEN_AFTER, leave, show_presence
from survey_site.scoring.models import JobStatus, ScoreRun, ScoreShard
from survey_site.settings.metrics import metrics_settings
from survey_site.settings.reading import read_settings
from survey_site.settings.table import BASE_DIR
from tests.factories.batches import make_batch
from tests.factories.survey import make_assignment, submit_all

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-more-than-twenty-characters"


@pytest.fixture
def on(settings, tmp_path):
    settings.CONCORD_METRICS, settings.CONCORD_METRICS_TOKEN = True, TOKEN
    settings.CONCORD_DATA_DIR = tmp_path


def ask(client, token=TOKEN, **options):
    return client.get("/metrics/", headers={"authorization": f"Bearer {token}"}, **options)


def values(client):
    """Each sample by its name with its labels."""
    lines = [line for line in ask(client).content.decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def make_run(corpus):
    """A run that has waited for five minutes."""
    about = {"kind": "automatic", "corpus": corpus, "measure": "jsd", "signature": {}, "options": {}}
    return ScoreRun.objects.create(key="1", created_at=timezone.now() - timedelta(minutes=5), **about)


def test_nobody_reads_metrics_where_none_is_let_in(client, admin_client):
    assert (client.get("/metrics/").status_code, admin_client.get("/metrics/").status_code) == (403, 403)
    assert (ask(client, "").status_code, ask(client, "None").status_code) == (403, 403)


@pytest.mark.parametrize(("token", "status"), [(TOKEN, 200), (TOKEN[:-1], 403), (f"{TOKEN}ü", 403)])
def test_the_token_opens_it(client, on, token, status):
    assert ask(client, token).status_code == status
    assert client.get("/metrics/").status_code == 403


@pytest.mark.parametrize(
    ("behind_proxy", "addresses", "status"),
    [
        (False, ["10.1.2.3"], 200),
        (False, ["192.0.2.7"], 403),
        (False, ["192.0.2.7", "10.1.2.3"], 403),
        (True, ["192.0.2.7", "10.1.2.3"], 200),
        (True, ["10.1.2.3", "10.1.2.3, 192.0.2.7"], 403),
        (True, ["10.1.2.3", "no address"], 403),
    ],
)
def test_a_network_opens_it_and_only_a_proxy_says_who_asks(client, settings, behind_proxy, addresses, status):
    """The other end's address, and what it says of whom it asks for."""
    settings.CONCORD_METRICS_NETWORKS = ["10.0.0.0/8", "2001:db8::/32"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if behind_proxy else None
    seen, *forwarded = addresses
    headers = {"x-forwarded-for": "".join(forwarded)} if forwarded else {}
    assert client.get("/metrics/", headers=headers, REMOTE_ADDR=seen).status_code == status


def test_settings_that_would_let_anybody_in_are_refused():
    with pytest.raises(ImproperlyConfigured, match="CONCORD_METRICS_TOKEN must have at least 20"):
        metrics_settings(read_settings({"CONCORD_METRICS_TOKEN": "short"}))
    with pytest.raises(ImproperlyConfigured, match=r"CONCORD_METRICS_NETWORKS: .*Write 10\.0\.0\.0/8"):
        metrics_settings(read_settings({"CONCORD_METRICS_NETWORKS": "everybody"}))
    assert metrics_settings(read_settings({}))["CONCORD_METRICS"] is False


def test_claims_answers_and_jobs_are_those_of_the_database(client, on):
    batch = make_batch()
    submit_all(make_assignment(batch))
    make_assignment(batch)
    make_run(batch.corpus)
    found = values(client)
    assert found['concord_claims{state="open"}'] == 1
    assert found['concord_claims{state="submitted"}'] == 1
    assert found['concord_claims{state="expired"}'] == 0
    assert found['concord_answers{kind="acknowledged"}'] == found['concord_answers{kind="standing"}'] > 0
    assert found['concord_jobs{kind="score_run",state="queued"}'] == 1
    assert 300 <= found['concord_oldest_job_seconds{kind="score_run",state="queued"}'] < 900
    assert found["concord_broker_up"] == 1
    assert found['concord_queue_messages{queue="celery"}'] >= 0


def test_times_of_parts_are_those_of_the_last_hour_by_queue(client, on):
    """Not told: a part that failed, one that was done before, and one that is computed."""
    now, run = timezone.now(), make_run(make_batch().corpus)
    ended = [
        ("celery", JobStatus.DONE, 59, 2),
        ("celery", JobStatus.DONE, 1, 4.5),
        ("gpu", JobStatus.DONE, 1, 8),
        ("gpu", JobStatus.FAILED, 1, 16),
        ("gpu", JobStatus.DONE, 61, 32),
        ("gpu", JobStatus.RUNNING, None, 64),
    ]
    for number, (queue, status, minutes, seconds) in enumerate(ended):
        finished = None if minutes is None else now - timedelta(minutes=minutes)
        started = (finished or now) - timedelta(seconds=seconds)
        place = {"number": number, "first": 0, "last": 0, "documents": 1, "pairs": 1, "queue": queue}
        times = {"created_at": started, "started_at": started, "finished_at": finished}
        ScoreShard.objects.create(run=run, key=str(number), status=status, **place, **times)
    assert {name: value for name, value in values(client).items() if "recent_part" in name} == {
        'concord_recent_parts{queue="celery"}': 2,
        'concord_recent_parts{queue="gpu"}': 1,
        'concord_recent_part_seconds{queue="celery"}': 6.5,
        'concord_recent_part_seconds{queue="gpu"}': 8,
        'concord_longest_recent_part_seconds{queue="celery"}': 4.5,
        'concord_longest_recent_part_seconds{queue="gpu"}': 8,
    }


def test_workers_and_backups_are_told_by_when(client, on):
    now = timezone.now()
    show_presence("celery@long-gone", "celery", started_at=now, now=now - 2 * FORGOTTEN_AFTER)
    show_presence("celery@one", "celery,cpu", started_at=now, now=now)
    BackupMade.objects.create(file="b.tar.gz", size=1, made_at=now)
    at = pytest.approx(now.timestamp())
    found = values(client)
    workers = {name: value for name, value in found.items() if "worker_seen" in name}
    assert workers == {'concord_worker_seen_timestamp_seconds{worker="celery@one",queues="celery,cpu"}': at}
    assert found["concord_last_backup_timestamp_seconds"] == at


def test_a_worker_that_ends_as_it_should_is_forgotten(client, on):
    now = timezone.now()
    show_presence("celery@one", "celery", started_at=now, now=now)

    class Sender:
        hostname = "celery@one"

    leave(Sender())
    assert [name for name in values(client) if "worker_seen" in name] == []


def test_requests_are_told_by_route_as_a_histogram_that_adds_up(client, on):
    client.get("/accounts/login/")
    client.get("/s/a-secret-token/")
    text = ask(client).content.decode()
    assert 'concord_responses_total{route="survey:join",status="404"} 1\n' in text
    assert 'concord_request_seconds_bucket{route="accounts:login",le="+Inf"} 1\n' in text
    assert 'concord_request_seconds_count{route="accounts:login"} 1\n' in text
    assert "a-secret-token" not in text


def test_asking_again_at_once_costs_nothing(client, on, django_assert_num_queries):
    first = ask(client)
    with django_assert_num_queries(0):
        assert ask(client).content == first.content


def test_the_text_format_escapes_what_would_break_it():
    bounds = (0.5, 1.0)
    families = [
        Family("a", "gauge", "Of\nlines.", [Sample(0.25, {"name": 'a"b\\c\nd'}), Sample(2, {})]),
        Family("b", "histogram", "Times.", list(histogram({}, bounds, [2, 0, 1], 3.5))),
    ]
    assert exposition(families).splitlines() == [
        r"# HELP a Of\nlines.",
        "# TYPE a gauge",
        r'a{name="a\"b\\c\nd"} 0.25',
        "a 2",
        "# HELP b Times.",
        "# TYPE b histogram",
        'b_bucket{le="0.5"} 2',
        'b_bucket{le="1"} 2',
        'b_bucket{le="+Inf"} 3',
        "b_sum 3.5",
        "b_count 3",
    ]


def test_the_documentation_lists_every_metric(client, on):
    told = re.findall(r"^# TYPE (\w+)", ask(client).content.decode(), flags=re.MULTILINE)
    page = (BASE_DIR / "docs/deployment.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(concord_\w+)` \|", page, flags=re.MULTILINE) == told
