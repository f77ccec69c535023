"""A worker process that computes parts of runs, and can be killed in the middle of one.

Before each part it prints its number and waits for a line of its input. The database and the data folder
come from the environment, as for any worker.
"""

import os
import sys

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "survey_site.settings"
django.setup()

from django.utils import timezone  # noqa: E402

from meta_eval.distances.computing import DistanceStream  # noqa: E402
from survey_site.scoring.parts.waking import wake_joiner  # noqa: E402
from survey_site.scoring.parts.working import work_on  # noqa: E402

_compute = DistanceStream.compute


def _ask_first(stream, shard):
    sys.stdout.write(f"{stream.shards.index(shard)}\n")
    sys.stdout.flush()
    sys.stdin.readline()
    return _compute(stream, shard)


DistanceStream.compute = _ask_first
work_on("celery", clock=timezone.now, ended=wake_joiner)
