"""Studies of summaries of users for tests, as somebody uploads them."""

import io
import zipfile
from collections.abc import Mapping, Sequence

from survey_site.studies.files import StudyFiles
from survey_site.studies.models import Study
from survey_site.studies.services import import_study
from tests.factories.batches import NOW
from tests.factories.user_results import TRAIL, study_labels, study_texts


def study_archive(texts: Mapping[str, str] | None = None, folder: str = "scores/") -> bytes:
    """The files in an archive, as somebody packs the folder."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (study_texts() if texts is None else texts).items():
            archive.writestr(f"{folder}{name}", text)
    return stream.getvalue()


def chosen_files(
    texts: Mapping[str, str] | None = None, *, labels: bytes | None = None, trails: Sequence[bytes] = ()
) -> StudyFiles:
    """What somebody chooses: the files one by one."""
    given = study_texts() if texts is None else texts
    return StudyFiles(
        results=[(name, io.BytesIO(text.encode())) for name, text in given.items()],
        labels=None if labels is None else ("labels.csv", io.BytesIO(labels)),
        trails=[("trail.jsonl", io.BytesIO(trail)) for trail in trails],
    )


def make_study(name: str = "Films", *, by=None, project=None) -> Study:
    """A study with labels and a trail."""
    files = chosen_files(labels=study_labels(), trails=[TRAIL])
    return import_study(name=name, files=files, now=NOW, by=by, project=project).study
