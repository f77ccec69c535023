"""Notices: each once, read by whom, mailed to whom; and never in the way of what they are about."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.services import add_raters, close_batch
from survey_site.common import mail as mailing
from survey_site.notices.mails import PAUSES, send_due_mails
from survey_site.notices.models import Delivery, Notice, NoticeKind, Reading
from survey_site.notices.services import mark_read, notify
from survey_site.quality import noticing as batch_noticing
from survey_site.quality.noticing import notice_batches
from survey_site.quality.services import exclude_rater
from survey_site.reports import noticing, services
from survey_site.reports.models import Report
from survey_site.reports.noticing import notice_report, notice_reports
from survey_site.reports.services import build_report, retry_report
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus
from survey_site.survey.models import MarkReason
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.services import submit_questionnaire
from survey_site.survey.rating.validators import CannotJudge
from tests.factories.accounts import make_user
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.reports import make_report
from tests.factories.survey import make_assignment, make_rater, submit_all

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def batch():
    return make_batch(corpus=make_corpus(documents=2, systems=2), raters=1)


@pytest.fixture
def mails(settings):
    settings.CONCORD_MAILS = True
    settings.CONCORD_SITE_URL = "https://concord.example.org"
    settings.DEFAULT_FROM_EMAIL = "concord@example.org"
    return mail.outbox


def wants_mail(name):
    user = make_user(username=name)
    User.objects.filter(pk=user.pk).update(email=f"{name}@example.org", notices_by_mail=True)
    return user


def rate_all(batch):
    """One careful rater who completes every questionnaire of the batch."""
    rater = make_rater(batch)
    for _ in range(batch.questionnaires.count()):
        claim = make_assignment(batch, rater=rater)
        codes = claim.placements.order_by("position").values_list("code", flat=True)
        answers = {code: 1 + number for number, code in enumerate(codes)}
        submit_questionnaire(assignment=claim, answers=answers, now=NOW + timedelta(minutes=9))
    return rater


def noted():
    return list(Notice.objects.order_by("pk").values_list("kind", "subject"))


def tell(batch, key="1"):
    return notify(kind=NoticeKind.READY, batch=batch, key=key, subject=key, now=LATER)


@pytest.fixture
def batch_with_marks():
    return make_batch(corpus=make_corpus(documents=2, systems=4), marks_allowed=True)


def test_a_batch_is_complete_once_and_again_when_it_was_extended(batch):
    notice_batches(now=LATER)
    assert noted() == []
    rate_all(batch)
    for _ in range(2):
        notice_batches(now=LATER)
    assert noted() == [(NoticeKind.COMPLETE, "")]
    add_raters(batch=batch, raters=1, now=NOW)
    rate_all(Batch.objects.get(pk=batch.pk))
    notice_batches(now=LATER)
    keys = Notice.objects.filter(kind=NoticeKind.COMPLETE).order_by("pk").values_list("key", flat=True)
    assert list(keys) == ["2", "4"]


def test_nothing_is_looked_at_twice_without_more_ratings(batch):
    rate_all(batch)
    assert notice_batches(now=LATER) == [batch]
    with CaptureQueriesContext(connection) as asked:
        assert notice_batches(now=LATER) == []
    assert len(asked) <= 3


def test_a_closed_batch_is_not_called_complete(batch):
    rate_all(batch)
    close_batch(batch=batch, now=NOW)
    notice_batches(now=LATER)
    assert noted() == []


def test_a_flagged_rater_is_noted_once_and_one_who_was_decided_on_is_not(admin):
    batch = make_batch(corpus=make_corpus(documents=2, systems=2), raters=2)
    hasty, excluded = (make_rater(batch) for _ in range(2))
    for rater in (hasty, excluded):
        submit_all(make_assignment(batch, rater=rater), now=NOW)  # in no time
    exclude_rater(rater=excluded, reason="too fast", by=admin, now=NOW)
    notice_batches(now=LATER)
    submit_all(make_assignment(batch, rater=hasty), now=LATER)
    notice_batches(now=LATER)
    assert noted() == [(NoticeKind.FLAGGED, hasty.code)]


def test_a_rater_who_could_judge_nothing_is_noted_without_a_single_rating(batch_with_marks):
    page = make_assignment(batch_with_marks)
    answers = {one.code: CannotJudge(MarkReason.values[0], "") for one in page.placements.all()}
    submit_questionnaire(assignment=page, answers=answers, now=NOW)
    notice_batches(now=NOW)
    assert [(one.kind, one.subject) for one in Notice.objects.all()] == [
        (NoticeKind.FLAGGED, page.rater.code)
    ]


def test_a_report_that_ends_is_noted_with_its_end_and_again_after_another_try(batch):
    rate_all(batch)
    report = make_report(batch=batch, built=False)
    jobs.fail(report, now=LATER, error="no memory")
    for _ in range(2):
        notice_report(report, now=LATER)
        notice_reports(now=LATER)
    again = retry_report(report=report, now=LATER + timedelta(minutes=1))
    notice_reports(now=LATER + timedelta(minutes=1))
    jobs.fail(again, now=LATER + timedelta(minutes=2), error="no memory")
    notice_reports(now=LATER + timedelta(minutes=2))
    assert noted() == [(NoticeKind.FAILED, str(report.pk))] * 2


def test_a_report_is_none_the_worse_for_a_notice_that_fails(batch, monkeypatch):
    def broken(**_values):
        raise RuntimeError("no notices today")

    monkeypatch.setattr(noticing, "notify", broken)
    rate_all(batch)
    report = make_report(batch=batch, built=False)
    monkeypatch.setattr(services, "report_on_scores", lambda *_inputs, **_how: None)
    monkeypatch.setattr(services, "report_record", lambda _report: {"made": "of nothing"})
    monkeypatch.setattr(services, "draw_ahead", lambda _record: {})
    build_report(report=report, clock=lambda: NOW)
    assert Report.objects.get(pk=report.pk).status == JobStatus.DONE
    monkeypatch.undo()
    notice_reports(now=NOW)
    assert (NoticeKind.READY, str(report.pk)) in noted()


def test_old_reports_are_no_news(batch):
    rate_all(batch)
    jobs.fail(make_report(batch=batch, built=False), now=NOW, error="long ago")
    notice_reports(now=NOW + timedelta(days=2))
    assert noted() == []


def test_the_same_is_written_once_whoever_finds_it(batch):
    assert tell(batch) is not None
    assert tell(batch) is None
    assert Notice.objects.count() == 1


def test_the_bell_counts_what_one_has_not_read_oneself(batch, researcher_client, admin_client):
    User.objects.update(date_joined=NOW)
    first, _ = tell(batch, "1"), tell(batch, "2")
    assert b'aria-label="Notices: 2 new"' in researcher_client.get("/").content
    followed = researcher_client.get(f"/notices/{first.pk}/")
    assert followed.headers["Location"] == "/reports/1/"
    assert b'aria-label="Notices: 1 new"' in researcher_client.get("/").content
    assert b'aria-label="Notices: 2 new"' in admin_client.get("/").content
    page = admin_client.get("/notices/")
    assert "read by rita" in page.content.decode()
    admin_client.post("/notices/read/")
    assert b'aria-label="Notices"' in admin_client.get("/").content
    assert Reading.objects.count() == 3


def test_what_came_before_an_account_is_not_held_up_to_it(batch, researcher_client):
    notify(kind=NoticeKind.READY, batch=batch, key="1", subject="1", now=NOW)
    assert b'aria-label="Notices"' in researcher_client.get("/").content
    assert "is ready" in researcher_client.get("/notices/").content.decode()


@pytest.mark.parametrize(
    ("kind", "subject", "words", "leads_to"),
    [
        (NoticeKind.COMPLETE, "", "All of “Pilot” is rated", "/batches/{}/"),
        (NoticeKind.FLAGGED, "R7", "Rater R7 of “Pilot” is flagged", "/batches/{}/quality/raters/R7/"),
        (NoticeKind.READY, "3", "Report No. 3 on “Pilot” is ready", "/reports/3/"),
        (NoticeKind.FAILED, "3", "Report No. 3 on “Pilot” failed", "/reports/3/"),
    ],
)
def test_each_says_what_happened_and_leads_to_where_to_act(batch, kind, subject, words, leads_to):
    Batch.objects.update(name="Pilot")
    batch.refresh_from_db()
    notice = notify(kind=kind, batch=batch, key="1", subject=subject, now=NOW)
    assert (str(notice), notice.get_absolute_url()) == (words, leads_to.format(batch.pk))
    assert notice.what_to_do


def test_one_mail_holds_all_that_waits_and_goes_to_those_who_want_it(batch, mails):
    wants_mail("ada")
    make_user(username="eve")
    tell(batch, "1"), tell(batch, "2")
    assert [send_due_mails(now=LATER) for _ in range(2)] == [1, 0]
    (sent,) = mails
    assert (sent.to, sent.subject) == (["ada@example.org"], "Concord: 2 notices")
    assert "https://concord.example.org/reports/1/" in sent.body
    assert Delivery.objects.filter(sent_at=LATER, due_at=None).count() == 2


def test_a_mail_that_fails_is_tried_again_and_given_up_in_the_end(batch, mails, monkeypatch):
    def refused(_message):
        raise ConnectionRefusedError

    wants_mail("ada")
    tell(batch)
    monkeypatch.setattr(mailing.EmailMessage, "send", refused)
    now = LATER
    for pause in PAUSES:
        assert send_due_mails(now=now) == 0
        assert Delivery.objects.get().due_at == now + pause
        now += pause
    send_due_mails(now=now)
    assert (Delivery.objects.get().due_at, Delivery.objects.get().tries) == (None, len(PAUSES) + 1)


def test_a_mail_that_was_claimed_is_left_alone_until_its_claim_is_over(batch, mails, monkeypatch):
    wants_mail("ada")
    tell(batch)
    seen = []
    monkeypatch.setattr(mailing.EmailMessage, "send", lambda _message: seen.append(send_due_mails(now=LATER)))
    assert send_due_mails(now=LATER) == 1
    assert seen == [0]


def test_who_changed_their_mind_gets_no_mail(batch, mails):
    ada = wants_mail("ada")
    tell(batch)
    User.objects.filter(pk=ada.pk).update(notices_by_mail=False)
    assert send_due_mails(now=LATER) == 0
    assert (mails, Delivery.objects.get().due_at) == ([], None)


def test_without_a_mail_server_nothing_waits_to_be_mailed(batch):
    wants_mail("ada")
    tell(batch)
    assert Delivery.objects.count() == 0


def test_the_command_looks_at_once(batch, capsys):
    rate_all(batch)
    call_command("send_notices")
    assert capsys.readouterr().out == "New notices: 1. Mails sent: 0.\n"


def test_a_report_that_is_deleted_as_it_ends_is_not_noted(batch):
    rate_all(batch)
    report = make_report(batch=batch, built=False)
    jobs.fail(report, now=LATER, error="no memory")
    Report.objects.all().delete()
    notice_report(report, now=LATER)
    assert noted() == []


def test_what_staff_were_told_of_a_rater_goes_when_the_person_withdraws(batch, mails):
    user = wants_mail("ada")
    leaving, staying = (make_rater(batch) for _ in range(2))
    for rater in (leaving, staying):
        notice = notify(kind=NoticeKind.FLAGGED, batch=batch, key=rater.code, subject=rater.code, now=NOW)
        mark_read(notice=notice, user=user, now=NOW)
    withdraw_rater(rater=leaving, now=LATER)
    assert noted() == [(NoticeKind.FLAGGED, staying.code)]
    assert (Reading.objects.count(), Delivery.objects.count()) == (1, 1)


def test_a_rater_who_withdraws_during_the_look_is_not_noted(batch, monkeypatch):
    rater = make_rater(batch)
    submit_all(make_assignment(batch, rater=rater), now=NOW)
    decide = batch_noticing.to_decide_on

    def withdraw_meanwhile(checked):
        found = list(decide(checked))
        withdraw_rater(rater=rater, now=LATER)
        return found

    monkeypatch.setattr(batch_noticing, "to_decide_on", withdraw_meanwhile)
    notice_batches(now=LATER)
    assert noted() == []


def test_a_batch_of_which_nothing_new_is_found_out_yet_is_looked_at_again(batch, monkeypatch):
    rate_all(batch)
    monkeypatch.setattr(batch_noticing, "find_in_time", lambda _batch, **_when: None)
    assert notice_batches(now=LATER) == []
    monkeypatch.undo()
    assert notice_batches(now=LATER) == [batch]
    assert notice_batches(now=LATER) == []


def test_a_batch_that_fails_holds_up_no_other_and_no_mail(mails, monkeypatch):
    wants_mail("ada")
    first, second = (make_batch(corpus=make_corpus(documents=2, systems=2), raters=1) for _ in range(2))
    for one in (first, second):
        rate_all(one)
    progress = batch_noticing.batch_progress

    def fail_on_the_first(batch, **when):
        if batch == first:
            raise ValueError(batch)
        return progress(batch, **when)

    def fail(**_when):
        raise ValueError

    monkeypatch.setattr(batch_noticing, "batch_progress", fail_on_the_first)
    monkeypatch.setattr(noticing, "notice_reports", fail)
    assert noticing.look_around(now=LATER) == 1
    assert list(Notice.objects.values_list("batch", flat=True)) == [second.pk]
    monkeypatch.undo()
    assert notice_batches(now=LATER) == [first]


def test_batches_that_are_archived_or_were_closed_before_there_were_notices_are_left_alone(batch):
    rate_all(batch)
    close_batch(batch=batch, now=NOW)
    assert notice_batches(now=NOW + batch_noticing.LOOKED_BACK) == []
    Batch.objects.update(archived_at=NOW)
    assert notice_batches(now=LATER) == []
    Batch.objects.update(archived_at=None)
    assert notice_batches(now=LATER) == [batch]
