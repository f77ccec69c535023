"""Where the replies about a batch are kept: a folder a batch, so that they can go with it."""

import shutil
from pathlib import Path

from django.conf import settings

from survey_site.batches.models import Batch

FOLDER = "replies"


def replies_folder(batch: int) -> Path:
    return Path(settings.CONCORD_DATA_DIR) / FOLDER / str(batch)


def forget_replies() -> int:
    """Remove the replies about batches that are gone; how many batches that were."""
    root = Path(settings.CONCORD_DATA_DIR) / FOLDER
    folders = {one.name: one for one in root.glob("*") if one.name.isdecimal()}
    known = set(map(str, Batch.objects.filter(pk__in=list(map(int, folders))).values_list("pk", flat=True)))
    gone = [folder for name, folder in folders.items() if name not in known]
    for folder in gone:
        shutil.rmtree(folder, ignore_errors=True)
    return len(gone)
