"""The pages of a snapshot: freezing, its file, how it is checked, who sees what."""

import json
import re
from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from survey_site.accounts.models import AuditEntry
from survey_site.batches.services import close_batch
from survey_site.quality import checking
from survey_site.quality.checking import compute_check
from survey_site.quality.freezing import freeze_batch
from survey_site.quality.models import FrozenRating, Snapshot, SnapshotCheck
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.snapshots import LATER, busy_batch, describe_snapshot, frozen_batch
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db


def url(name, batch):
    return reverse(f"quality:{name}", args=[batch.pk])


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_an_admin_freezes_on_the_page(admin_client):
    batch, *_ = busy_batch()
    text = text_of(admin_client.get(url("freeze", batch)))
    assert "1 questionnaire still in progress" in text
    assert "Ratings that count 6 of 24" in text
    response = admin_client.post(url("freeze", batch), follow=True)
    text = text_of(response)
    content_hash = Snapshot.objects.get().content_hash
    assert f"Hash {content_hash} Ratings 9, of which 6 count in scores;" in text
    assert "The stored snapshot is unchanged Checked on " in text
    assert content_hash in text_of(admin_client.get(batch.get_absolute_url()))


def test_the_file_is_downloaded_and_the_download_written_down(researcher_client):
    batch, snapshot, *_ = frozen_batch()
    response = researcher_client.get(url("snapshot", batch))
    assert json.loads(b"".join(response)) == describe_snapshot(snapshot)
    entry = AuditEntry.objects.get(action="ratings exported")
    assert (entry.actor_name, entry.detail) == ("rita", {"holds": f"snapshot {snapshot.content_hash}"})


def tamper(snapshot):
    row = snapshot.ratings.first()
    FrozenRating.objects.filter(pk=row.pk).update(content=row.content | {"rating": 6})


HOLDS, BROKEN = "The stored snapshot is unchanged", "The stored snapshot does not match its hash"
WAITS = "A worker checks the snapshot against its hash"


def said(text):
    return [one for one in (HOLDS, BROKEN, WAITS, "A worker checks it again") if one in text]


def test_what_was_checked_is_kept_until_somebody_checks_again(researcher_client):
    batch, snapshot, *_ = frozen_batch()
    found = [said(text_of(researcher_client.get(url("freeze", batch))))]
    tamper(snapshot)
    found.append(said(text_of(researcher_client.get(url("freeze", batch)))))
    found.append(said(text_of(researcher_client.post(url("checked", batch), follow=True))))
    assert found == [[HOLDS], [HOLDS], [BROKEN]]


def test_a_withdrawal_has_the_snapshot_checked_anew(researcher_client):
    batch, snapshot, done, *_ = frozen_batch()
    researcher_client.get(url("freeze", batch))
    tamper(snapshot)
    withdraw_rater(rater=done[2].rater, now=LATER)
    assert said(text_of(researcher_client.get(url("freeze", batch)))) == [BROKEN]


def test_a_worker_checks_a_large_snapshot(researcher_client, monkeypatch):
    monkeypatch.setattr(checking, "FEW_ROWS", 8)
    batch, snapshot, *_ = frozen_batch()
    found = []
    for look in (researcher_client.get, researcher_client.post, researcher_client.get):
        found.append(said(text_of(look(url("checked", batch), follow=True))))
        tamper(snapshot)
        if len(found) != 2:
            assert compute_check(SnapshotCheck.objects.get(), clock=timezone.now)
    found.append(said(text_of(researcher_client.get(url("checked", batch)))))
    assert found == [
        [WAITS],
        [BROKEN, "A worker checks it again"],
        [BROKEN, "A worker checks it again"],
        [BROKEN],
    ]


def test_a_page_that_shows_how_the_check_ended_is_sent_nothing(researcher_client):
    batch, *_ = frozen_batch()
    page = researcher_client.get(url("checked", batch)).content.decode()
    shown = re.search(r'data-version="(\w+)"', page)[1]
    again = researcher_client.get(url("checked", batch), headers={"Concord-Shown": shown})
    assert (again.status_code, again.content) == (204, b"")


def test_a_live_batch_is_to_be_closed_first(admin_client):
    batch = make_batch()
    assert "Close the batch first" in text_of(admin_client.get(url("freeze", batch)))
    assert admin_client.post(url("freeze", batch)).status_code == 409


def test_researchers_look_and_admins_freeze(client, researcher_client):
    batch, *_ = busy_batch()
    assert client.get(url("freeze", batch)).status_code == 302
    assert "Only admins may freeze" in text_of(researcher_client.get(url("freeze", batch)))
    assert researcher_client.post(url("freeze", batch)).status_code == 403
    assert researcher_client.get(url("snapshot", batch)).status_code == 404
    assert researcher_client.get(url("freeze", make_batch(launched=False))).status_code == 404


def test_freezing_stands_among_the_pages_of_the_batch(admin_client):
    batch = make_batch()
    monitor = batch.get_absolute_url()
    assert "Freeze" not in tabs(admin_client.get(monitor))
    submit_all(make_assignment(batch))
    close, freeze = partial(close_batch, now=LATER), partial(freeze_batch, clock=lambda: LATER)
    for act, name in ((close, "Freeze"), (freeze, "Snapshot")):
        act(batch=batch)
        for address, here in ((monitor, "Progress"), (url("freeze", batch), name)):
            response = admin_client.get(address)
            assert tabs(response)[:3] == ["Progress", "Quality", name]
            (current,) = re.findall(r'aria-current="page">(\w+)</a>', nav_of(response))
            assert current == here


def nav_of(response):
    return response.content.decode().split('aria-label="This batch">')[1].split("</nav>")[0]


def tabs(response):
    return re.findall(r">([^<]+)</a>", nav_of(response))


def test_flagged_raters_are_named_before_freezing(admin_client):
    batch = make_batch(corpus=make_corpus(documents=4, systems=5))
    rater = make_rater(batch)
    while claim := claim_questionnaire(rater=rater, now=NOW):
        submit_all(claim)
    close_batch(batch=batch, now=NOW)
    assert "1 rater flagged and not decided on" in text_of(admin_client.get(url("freeze", batch)))


def test_a_frozen_batch_offers_no_exclusion_and_no_undoing(admin_client):
    batch, done, *_ = busy_batch()
    rater = reverse("quality:rater", args=[batch.pk, done[0].rater.code])
    offered = [page.content.decode() for page in map(admin_client.get, (rater, url("detail", batch)))]
    assert ['method="post"' in page.split("<main")[1] for page in offered] == [True, True]
    freeze_batch(batch=batch, clock=lambda: LATER)
    offered = [page.content.decode() for page in map(admin_client.get, (rater, url("detail", batch)))]
    assert ['method="post"' in page.split("<main")[1] for page in offered] == [False, False]
    assert "The batch is frozen: nothing can be excluded any more." in offered[0]


def test_agreement_is_so_far_until_nothing_can_come_any_more(researcher_client):
    batch, *_ = busy_batch()
    for heading in ("Agreement so far", "ratings that count so far."):
        assert heading in text_of(researcher_client.get(url("detail", batch)))
    freeze_batch(batch=batch, clock=lambda: LATER)
    for name in ("detail", "so-far"):
        text = text_of(researcher_client.get(url(name, batch)))
        assert ("Agreement" in text, "so far" in text) == (True, False)
