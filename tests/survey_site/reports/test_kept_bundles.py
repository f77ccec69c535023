"""Sealed bundles of large reports: a worker makes one, once, and none outlives a withdrawal."""

import io
import zipfile
from datetime import timedelta

import pytest

from meta_eval.publish.bundle import verify_bundle
from survey_site.common.errors import ConflictError
from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.quality.services import exclude_rater
from survey_site.reports.bundles import kept as kept_bundles
from survey_site.reports.bundles.kept import (
    AFTER_A_FAULT,
    KEPT_FOR,
    forget_old_bundles,
    kept_bundle,
    read_pieces,
    requeue_stale_bundles,
)
from survey_site.reports.models import KeptBundle, KeptBundlePiece, Report
from survey_site.reports.tasks import make_bundle_task
from survey_site.scoring import jobs, rating_sets
from survey_site.survey.models import Assignment
from survey_site.survey.rating.leaving import withdraw_rater
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW
from tests.factories.bundles import LATER, ask, work
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch
from tests.factories.survey import make_rater

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("made_once")]


def file_of(report, **choice):
    return b"".join(read_pieces(ask(report, **choice)))


def somebody(report):
    return report.batch.people.order_by("pk").first()


def test_a_worker_makes_the_file_that_the_web_process_would(at_once, report, many):
    asked = []
    row = ask(report, asked)
    assert (row.is_waiting, asked) == (True, [row])
    assert work(row)
    kept = ask(report, asked)
    assert (kept.is_done, kept.size, len(asked)) == (True, len(at_once), 1)
    assert KeptBundlePiece.objects.count() == -(-len(at_once) // 1000)
    content = file_of(report)
    assert content == at_once
    assert verify_bundle(io.BytesIO(content)).seal == kept.seal


def test_with_and_without_texts_are_two(report, many):
    for with_texts in (True, False):
        assert work(ask(report, with_texts=with_texts))
    names = [
        set(zipfile.ZipFile(io.BytesIO(file_of(report, with_texts=one))).namelist()) for one in (True, False)
    ]
    assert names[0] ^ names[1] == {"corpus.jsonl", "corpus-hashes.jsonl"}


@pytest.mark.parametrize(("module", "few"), [(kept_bundles, "FEW_DOCUMENTS"), (rating_sets, "FEW_PAGES")])
def test_many_documents_or_pages_are_for_a_worker(report, monkeypatch, module, few):
    assert kept_bundles.is_made_at_once(report)
    monkeypatch.setattr(module, few, 0)
    assert not kept_bundles.is_made_at_once(report)


def test_distances_of_a_model_are_for_a_worker(report):
    assert kept_bundles.is_made_at_once(report)
    signature = report.result["signatures"][0]
    signature["signature"] |= {"model": "org/encoder", "revision": "0" * 40}
    assert not kept_bundles.is_made_at_once(report)


def test_however_many_ask_one_worker_makes_it(report, many):
    asked = []
    row, again = ask(report, asked), ask(report, asked)
    assert (again, len(asked)) == (row, 1)
    assert [work(row), work(row)] == [True, False]


def test_who_asks_at_the_same_moment_finds_that_somebody_has(report, many, monkeypatch):
    """Both have seen that there is none; the second waits for the batch, and asks no worker again."""
    asked, first = [], []
    lock = kept_bundles.lock_row

    def lock_after_another(rows):
        if not first:
            first.append(None)
            first.append(ask(report, asked))
        return lock(rows)

    monkeypatch.setattr(kept_bundles, "lock_row", lock_after_another)
    assert (ask(report, asked), len(asked)) == (first[1], 1)


def test_what_is_asked_of_an_unfinished_report_is_refused(report, many):
    Report.objects.filter(pk=report.pk).update(status="running")
    report.refresh_from_db()
    with pytest.raises(ConflictError, match="not finished"):
        ask(report)
    assert not KeptBundle.objects.exists()


def test_who_rates_later_changes_nothing(many):
    report = make_report(batch=make_rated_batch(completions=4))
    work(ask(report))
    claim_questionnaire(rater=make_rater(report.batch), now=NOW + timedelta(hours=1))
    later = Assignment.objects.filter(state="open")
    assert later.update(submitted_at=LATER, state="submitted", changes=9) == 1
    assert ask(report).is_done


def test_what_changes_a_page_of_the_report_has_it_made_anew(report, many):
    work(ask(report))
    exclude_rater(rater=somebody(report), reason="bots", by=None, now=LATER)
    asked = []
    assert (ask(report, asked).is_waiting, len(asked)) == (True, 1)
    assert work(asked.pop())
    assert ask(report).is_done


def test_a_report_that_is_built_again_has_its_bundle_made_anew(report, many):
    work(ask(report))
    Report.objects.filter(pk=report.pk).update(finished_at=LATER)
    report.refresh_from_db()
    assert ask(report).is_waiting


def test_a_withdrawal_deletes_every_kept_bundle_of_the_batch(report, many):
    work(ask(report))
    work(ask(report, with_texts=False))
    withdraw_rater(rater=somebody(report), now=LATER)
    assert (KeptBundle.objects.count(), KeptBundlePiece.objects.count()) == (0, 0)
    with pytest.raises(ConflictError, match="no longer held"):
        ask(Report.objects.get(pk=report.pk))


def test_a_download_breaks_off_where_somebody_withdraws(report, many):
    """Its beginning says how long it is, so nobody takes the rest for the whole."""
    work(ask(report))
    pieces = read_pieces(ask(report))
    next(pieces)
    withdraw_rater(rater=somebody(report), now=LATER)
    with pytest.raises(KeptBundlePiece.DoesNotExist):
        next(pieces)


def test_a_download_never_mixes_two_files(report, many):
    """Somebody has it made anew while another takes it away."""
    work(ask(report))
    pieces = read_pieces(ask(report))
    next(pieces)
    exclude_rater(rater=somebody(report), reason="bots", by=None, now=LATER)
    work(ask(report), now=LATER + timedelta(minutes=1))
    with pytest.raises(KeptBundlePiece.DoesNotExist):
        next(pieces)


def test_a_page_that_changes_while_it_is_made_is_no_fault(report, many, monkeypatch):
    """What counts and what does not are read one after the other: a page may be in neither."""
    row = ask(report)

    def change_and_miss(of):
        exclude_rater(rater=somebody(report), reason="bots", by=None, now=LATER)
        raise ConflictError("3 ratings of this report are no longer held.")

    with monkeypatch.context() as changing:
        changing.setattr(kept_bundles, "bundle_content", change_and_miss)
        work(row)
    waiting = kept_bundle(report, with_texts=True)
    assert (waiting.is_waiting, waiting.error) == (True, "")
    assert work(waiting)
    assert ask(report).is_done


def test_another_version_of_the_program_makes_it_anew(report, many, monkeypatch):
    work(ask(report))
    monkeypatch.setattr(kept_bundles, "program", lambda: {"schema": 0})
    assert ask(report).is_waiting


def test_who_withdraws_while_it_is_made_is_in_no_piece(report, many, monkeypatch):
    row, content = ask(report), kept_bundles.bundle_content

    def read_and_withdraw(of):
        found = content(of)
        withdraw_rater(rater=somebody(report), now=LATER)
        return found

    monkeypatch.setattr(kept_bundles, "bundle_content", read_and_withdraw)
    assert not work(row)
    assert (KeptBundle.objects.count(), KeptBundlePiece.objects.count()) == (0, 0)


def test_a_killed_worker_is_followed_by_another(report, many):
    row = ask(report)
    jobs.take_up(row, now=LATER)
    assert (requeue_stale_bundles(now=LATER), work(row)) == ([], False)
    dead = LATER + 2 * jobs.STALE_AFTER
    assert requeue_stale_bundles(now=dead) == [row]
    assert work(row, now=dead)
    assert verify_bundle(io.BytesIO(file_of(report))).is_sound


def test_a_worker_that_was_taken_for_dead_touches_no_piece(at_once, report, many, monkeypatch):
    """It would mix its pieces with those of the worker that makes the file now, or delete them."""
    row, content, ended = ask(report), kept_bundles.bundle_content, []

    def read_while_another_makes_it(of):
        found = content(of)
        if not ended:
            ended.append(None)
            dead = LATER + 2 * jobs.STALE_AFTER
            requeue_stale_bundles(now=dead)
            ended.append(work(row, now=dead))
        return found

    monkeypatch.setattr(kept_bundles, "bundle_content", read_while_another_makes_it)
    assert (work(row), ended[1]) == (False, True)
    assert (kept_bundle(report, with_texts=True).status, file_of(report)) == ("done", at_once)


def test_one_that_could_not_be_made_is_tried_again_after_a_minute(report, many, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(kept_bundles, "write_bundle", lambda *_arguments, **_options: 1 / 0)
        assert not work(ask(report))
    asked = []
    failed = ask(report, asked)
    assert (failed.error, asked) == ("Unexpected error (ZeroDivisionError): division by zero", [])
    again = ask(report, asked, now=LATER + AFTER_A_FAULT)
    assert (again.is_waiting, again.error, len(asked)) == (True, "", 1)


def test_it_is_kept_for_a_day(report, many):
    row = ask(report)
    forget_old_bundles(now=LATER + 10 * KEPT_FOR)  # it waits, however long
    work(row)
    forget_old_bundles(now=LATER + KEPT_FOR)
    assert KeptBundle.objects.count() == 1
    forget_old_bundles(now=LATER + KEPT_FOR + timedelta(seconds=1))
    assert (KeptBundle.objects.count(), KeptBundlePiece.objects.count()) == (0, 0)


def test_it_goes_with_its_report(report, many):
    work(ask(report))
    seen = fingerprint(report)
    delete_thing(thing=report, typed=asked_name(report), seen=seen, now=LATER)
    assert (KeptBundle.objects.count(), KeptBundlePiece.objects.count()) == (0, 0)


def test_the_task_makes_what_waits_and_leaves_the_rest(report, many):
    row = ask(report)
    make_bundle_task(row.pk)
    kept = kept_bundle(report, with_texts=True)
    assert kept.is_done
    make_bundle_task(row.pk)
    assert kept_bundle(report, with_texts=True).finished_at == kept.finished_at
    make_bundle_task(row.pk + 1)
