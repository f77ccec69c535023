"""Snapshots of frozen batches, as their files hold them."""

import json

from survey_site.quality.freezing import snapshot_pieces


def describe_snapshot(snapshot):
    return json.loads("".join(snapshot_pieces(snapshot)))
