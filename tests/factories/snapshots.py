"""Frozen batches, and snapshots as their files hold them."""

import json
from datetime import timedelta

from survey_site.batches.services import close_batch
from survey_site.quality.freezing import freeze_batch, snapshot_pieces
from survey_site.quality.services import exclude_questionnaire
from survey_site.survey.rating.leaving import stop_rating
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.survey import answers_for, make_assignment, save_rating, submit_all

HOUR = timedelta(hours=1)
LATER = NOW + 2 * HOUR


def describe_snapshot(snapshot):
    return json.loads("".join(snapshot_pieces(snapshot)))


def busy_batch(**settings):
    """Closed, with three completed questionnaires (one excluded), one open, one given up."""
    batch = make_batch(corpus=make_corpus(documents=4), **settings)
    done = [submit_all(make_assignment(batch), value=value) for value in (2, 3, 5)]
    exclude_questionnaire(assignment=done[1], reason="asleep", now=NOW)
    held = make_assignment(batch)
    save_rating(assignment=held, code=next(iter(answers_for(held))), value=6, now=NOW)
    given_up = make_assignment(batch)
    stop_rating(rater=given_up.rater)
    return close_batch(batch=batch, now=NOW + HOUR), done, held, given_up


def frozen_batch():
    batch, done, held, given_up = busy_batch()
    snapshot = freeze_batch(batch=batch, clock=lambda: LATER)
    batch.refresh_from_db()
    return batch, snapshot, done, held, given_up
