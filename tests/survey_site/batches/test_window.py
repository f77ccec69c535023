"""The time window: told before it opens, nothing handed out after it ends, and what was begun is finished."""

import html
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from survey_site.accounts.models import AuditEntry
from survey_site.batches.queries import batch_pace, batch_progress
from survey_site.batches.services import close_batch, launch_batch
from survey_site.batches.timing import completions_of
from survey_site.batches.window import move_window
from survey_site.common.errors import ConflictError, GoneError
from survey_site.common.moments import in_words
from survey_site.survey.models import Rater
from survey_site.survey.people.joining import EarlyError
from survey_site.survey.people.participation import ParticipationSettings, save_participation
from survey_site.survey.rating.services import claim_questionnaire
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, make_rater, save_rating, submit_all
from tests.survey_site.survey.pages.test_pages import join_key

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def open_for_an_hour(**settings):
    return make_batch(opens_at=NOW + HOUR, closes_at=NOW + 2 * HOUR, **settings)


def text_of(response):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def test_nobody_gets_in_early_or_late():
    batch = open_for_an_hour()
    with pytest.raises(EarlyError) as early:
        make_rater(batch, now=NOW)
    assert "It opens on 2 March 2026, 10:00 (UTC)." in early.value.action
    with pytest.raises(GoneError):
        make_rater(batch, now=NOW + 2 * HOUR)
    assert Rater.objects.count() == 0
    for at in (NOW + HOUR, NOW + 2 * HOUR - timedelta(seconds=1)):
        assert make_assignment(batch, now=at).state == "open"


def test_what_was_begun_is_finished_and_no_more_is_handed_out():
    batch = open_for_an_hour(corpus=make_corpus(documents=3))
    held = make_assignment(batch, now=NOW + HOUR)
    late = NOW + 3 * HOUR
    assert claim_questionnaire(rater=held.rater, now=late) == held
    done = submit_all(held, now=late)
    assert done.state == "submitted"
    assert save_rating(assignment=done, code=next(iter(answers_for(done))), value=1, now=late).value == 1
    with pytest.raises(GoneError):
        claim_questionnaire(rater=held.rater, now=late)


def test_an_end_that_came_meanwhile_is_kept():
    batch = make_batch()
    rater = make_rater(batch)
    type(batch).objects.filter(pk=batch.pk).update(closes_at=NOW + HOUR)
    assert rater.batch.closes_at is None
    assert claim_questionnaire(rater=rater, now=NOW + 2 * HOUR) is None


def test_the_end_must_come_after_the_beginning():
    with pytest.raises(ValidationError) as refused:
        make_batch(opens_at=NOW, closes_at=NOW, launched=False)
    assert refused.value.message_dict == {"closes_at": ["The end must come after the beginning."]}


def test_a_window_that_is_over_is_not_launched():
    batch = make_batch(closes_at=NOW, launched=False)
    with pytest.raises(ConflictError, match="is over"):
        launch_batch(batch=batch, now=NOW)


def move(batch, *, now, **changes):
    """Move one end of the window and leave the other one."""
    batch.refresh_from_db()
    window = {"opens_at": batch.opens_at, "closes_at": batch.closes_at} | changes
    return move_window(batch=batch, **window, now=now)


def moves():
    entries = AuditEntry.objects.filter(action__endswith=" moved").order_by("pk")
    return [(one.action, one.detail) for one in entries]


def test_the_launch_page_leads_to_the_end_that_is_past(admin_client):
    batch = make_batch(closes_at=NOW, launched=False)
    page = admin_client.get(reverse("batches:launch", args=[batch.pk]))
    text = text_of(page)
    assert "Time window. It ended on 2 March 2026, 09:00 (UTC), so nobody could take part." in text
    assert f"{reverse('batches:edit', args=[batch.pk])}#id_closes_at" in page.content.decode()
    assert re.findall(r"<button class=.button button--primary.[^>]*>", page.content.decode()) == [
        '<button class="button button--primary" disabled>'
    ]
    later = make_batch(closes_at=timezone.now() + HOUR, launched=False)
    text = text_of(admin_client.get(reverse("batches:launch", args=[later.pk])))
    assert "Time window. It has not ended." in text


def test_the_end_is_moved_and_that_is_written_down(admin):
    batch = open_for_an_hour()
    rater = make_rater(batch, now=NOW + HOUR)
    move_window(batch=batch, opens_at=batch.opens_at, closes_at=NOW + 9 * HOUR, by=admin, now=NOW + 3 * HOUR)
    rater.refresh_from_db()
    assert claim_questionnaire(rater=rater, now=NOW + 8 * HOUR).state == "open"
    move(batch, closes_at=NOW + 9 * HOUR, now=NOW + 3 * HOUR)
    move(batch, closes_at=None, now=NOW + 3 * HOUR)
    assert moves() == [
        ("end moved", {"closes_at": "2026-03-02T11:00:00+00:00 → 2026-03-02T18:00:00+00:00"}),
        ("end moved", {"closes_at": "2026-03-02T18:00:00+00:00 → never"}),
    ]
    assert AuditEntry.objects.filter(action="end moved").earliest("pk").actor == admin


def test_the_end_is_moved_neither_into_the_past_nor_before_the_beginning():
    batch = make_batch(opens_at=NOW + 5 * HOUR)
    with pytest.raises(ValidationError, match="To end the batch now, close it"):
        move(batch, closes_at=NOW, now=NOW)
    with pytest.raises(ValidationError, match="after the beginning"):
        move(batch, closes_at=NOW + HOUR, now=NOW)
    close_batch(batch=batch, now=NOW)
    with pytest.raises(ConflictError):
        move(batch, closes_at=NOW + 9 * HOUR, now=NOW)
    assert moves() == []


def test_the_beginning_is_moved_while_it_lies_ahead():
    batch = open_for_an_hour()
    batch = move(batch, opens_at=NOW + HOUR / 2, now=NOW)
    assert make_assignment(batch, now=NOW + HOUR / 2).state == "open"
    assert moves() == [
        ("beginning moved", {"opens_at": "2026-03-02T10:00:00+00:00 → 2026-03-02T09:30:00+00:00"})
    ]


def test_a_batch_without_a_beginning_opens_at_once():
    batch = move(open_for_an_hour(), opens_at=None, now=NOW + HOUR / 4)
    assert (batch.opens_at, batch.hands_out(NOW + HOUR / 4)) == (NOW + HOUR / 4, True)


def test_the_beginning_is_moved_neither_into_the_past_nor_once_raters_could_come():
    batch = open_for_an_hour()
    with pytest.raises(ValidationError, match="Leave it empty to open"):
        move(batch, opens_at=NOW, now=NOW)
    with pytest.raises(ValidationError, match="after the beginning"):
        move(batch, opens_at=NOW + 2 * HOUR, now=NOW)
    for opens_at in (NOW + 3 * HOUR / 2, None):
        with pytest.raises(ValidationError, match="has opened already"):
            move(batch, opens_at=opens_at, now=NOW + HOUR)
    with pytest.raises(ValidationError, match="has opened already"):
        move(make_batch(), opens_at=NOW + HOUR, now=NOW)
    assert moves() == []


def test_the_pace_counts_from_the_opening():
    batch = make_batch(corpus=make_corpus(documents=4), opens_at=NOW + 10 * HOUR)
    for _ in range(4):
        submit_all(make_assignment(batch, now=NOW + 11 * HOUR), now=NOW + 11 * HOUR)
    now = NOW + 12 * HOUR
    pace = batch_pace(batch, batch_progress(batch, now=now), completions_of(batch), now=now)
    assert (pace.hours, pace.ratings_per_hour) == (2.0, 6.0)


def test_times_are_in_the_zone_of_the_site_and_name_it():
    with timezone.override("Europe/Berlin"):
        assert in_words(datetime(2026, 7, 1, 8, 30, tzinfo=UTC)) == "1 July 2026, 10:30 (Europe/Berlin)"


def survey(client, batch):
    return client.get(reverse("survey:join", args=[batch.token]))


def test_raters_are_told_before_they_start(client):
    soon = timezone.now() + timedelta(days=400)
    early = make_batch(opens_at=soon)
    text = text_of(survey(client, early))
    assert f"It opens on {in_words(soon)}. Please come back then with the same link." in text
    assert "I agree" not in text
    over = make_batch(closes_at=NOW + HOUR)
    response = survey(client, over)
    assert (response.status_code, "This survey is closed" in text_of(response)) == (410, True)
    assert client.post(reverse("survey:start", args=[over.token])).status_code in {410, 409}
    assert Rater.objects.count() == 0


def test_who_has_begun_finishes_on_the_page_after_the_end(client):
    batch = make_batch(closes_at=timezone.now() + HOUR)
    client.post(reverse("survey:start", args=[batch.token]), {"key": join_key(survey(client, batch))})
    type(batch).objects.filter(pk=batch.pk).update(closes_at=NOW)
    assert "You can still finish it." in text_of(survey(client, batch))
    response = client.post(reverse("survey:start", args=[batch.token]), follow=True)
    assert response.resolver_match.url_name == "questionnaire"


def test_panel_members_who_come_too_late_get_their_code(client):
    batch = make_batch(closes_at=timezone.now() + HOUR, launched=False)
    wanted = ParticipationSettings(entry="panel", no_place_code="NOPLACE")
    save_participation(batch=batch, settings=wanted, now=NOW)
    launch_batch(batch=batch, now=NOW)
    type(batch).objects.filter(pk=batch.pk).update(closes_at=NOW + HOUR)
    address = reverse("survey:join", args=[batch.token], query={"PROLIFIC_PID": "p1"})
    text = text_of(client.get(address, follow=True))
    assert "This survey is closed" in text
    assert "NOPLACE" in text


def test_the_plan_takes_a_window_and_the_pages_show_it(admin_client):
    batch = make_batch(launched=False)
    edit = reverse("batches:edit", args=[batch.pk])
    page = admin_client.get(edit)
    form = page.context["form"]
    shown = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    data = {name: "" if value is None else value for name, value in shown.items()}
    data["systems"] = [system.pk for system in data["systems"]]
    data |= {"opens_at": "2099-05-01T10:00", "closes_at": "2099-05-01T09:00"}
    assert "The end must come after the beginning." in text_of(admin_client.post(edit, data))
    data["closes_at"] = "2099-05-08T10:00"
    assert admin_client.post(edit, data).status_code == 302
    batch.refresh_from_db()
    assert batch.opens_at == datetime(2099, 5, 1, 10, tzinfo=UTC)
    assert b'value="2099-05-08T10:00"' in admin_client.get(edit).content
    launch_batch(batch=batch, now=NOW)
    text = text_of(admin_client.get(batch.get_absolute_url()))
    assert "Launched, and opens on 1 May 2099, 10:00 (UTC)" in text
    assert "from 1 May 2099, 10:00 (UTC) until 8 May 2099, 10:00 (UTC)" in text


def test_an_admin_moves_the_end_on_the_page(admin_client, researcher_client):
    batch = make_batch(closes_at=NOW + HOUR)
    assert "The time window ended on" in text_of(admin_client.get(batch.get_absolute_url()))
    window = reverse("batches:window", args=[batch.pk])
    response = admin_client.post(window, {"closes_at": "2026-03-02T08:00"})
    assert (response.status_code, "This is past" in text_of(response)) == (422, True)
    response = admin_client.post(window, {"closes_at": "2099-01-02T08:00"}, follow=True)
    assert "The end of the time window is 2 January 2099, 08:00 (UTC)." in text_of(response)
    assert "Ends on 2 January 2099, 08:00 (UTC)" in text_of(response)
    assert researcher_client.post(window).status_code == 403


def test_an_admin_moves_the_beginning_on_the_page_until_it_is_reached(admin_client):
    batch = make_batch(opens_at=timezone.now() + 400 * 24 * HOUR)
    extend, window = (reverse(f"batches:{name}", args=[batch.pk]) for name in ("extend", "window"))
    assert "Change when it opens …" in text_of(admin_client.get(batch.get_absolute_url()))
    form = admin_client.get(extend).context["window_form"]
    assert list(form.fields) == ["opens_at", "closes_at"]
    sent = {"opens_at": "2099-01-02T08:00", "closes_at": ""}
    response = admin_client.post(window, sent, follow=True)
    assert "The batch opens on 2 January 2099, 08:00 (UTC)." in text_of(response)
    assert "stays as it is" in text_of(admin_client.post(window, sent, follow=True))
    response = admin_client.post(window, {"opens_at": "", "closes_at": "2099-01-02T08:00"}, follow=True)
    text = text_of(response)
    assert "It is open. The end of the time window is 2 January 2099, 08:00 (UTC)." in text
    batch.refresh_from_db()
    assert f"Open since {in_words(batch.opens_at)}" in text
    assert list(admin_client.get(extend).context["window_form"].fields) == ["closes_at"]
    refused = admin_client.post(window, sent)
    assert (refused.status_code, "has opened already" in text_of(refused)) == (422, True)
