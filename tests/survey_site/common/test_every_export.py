"""No cell of any table that the site gives away begins like a formula: every address is asked for one.

All names that people chose begin with what a spreadsheet takes for a formula. An address is asked as an admin
asks for it; one with a part that nothing is known to stand for fails, and so does a new one that gives tables
and is not in `GIVEN`.
"""

import csv
import io
import re
import zipfile
from itertools import cycle, product

import pytest
from django.db import transaction
from django.urls import get_resolver

from meta_eval.corpus import documents as values
from meta_eval.files.cells import unmark_text
from survey_site.api.reports_views import BUNDLE
from survey_site.batches.models import Batch
from survey_site.corpus.models import Corpus
from survey_site.corpus.services import import_corpus
from survey_site.desk import files as batch_files
from survey_site.model_raters import files as model_files
from survey_site.model_raters.models import ModelRun
from survey_site.projects.models import Project
from survey_site.quality.services import exclude_rater
from survey_site.reports.downloads import ADDRESSES
from survey_site.reports.models import Report
from survey_site.scoring.models import ScoreRun
from survey_site.studies.downloads import ALL
from survey_site.studies.models import Study
from survey_site.studies.services import import_study
from survey_site.survey.models import Assignment, Mark, Rater
from survey_site.survey.people.participation import create_invitations
from survey_site.survey.rating.services import submit_questionnaire
from survey_site.survey.rating.validators import CannotJudge
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch
from tests.factories.model_raters import configured, run_one
from tests.factories.reports import make_report
from tests.factories.studies import chosen_files
from tests.factories.survey import make_assignment
from tests.factories.user_results import study_labels

STARTS = ("=", "+", "-", "@", "\t")
CSV, ZIP = "text/csv", "application/zip"
TABLES = {address for address, file in ADDRESSES.items() if file.content_type.startswith((CSV, ZIP))}
SAME_MAKER = ("tables/leaderboard.csv",)
"""For programs: `take_file` makes every table of a report, whoever asks."""
LABELS = study_labels().replace(b",r1,", b",=r1,")
GIVEN = {
    *("batches/<int:pk>/ratings.csv", "batches/<int:pk>/comments.csv", "batches/<int:pk>/marks.csv"),
    *("batches/<int:pk>/excluded.csv", "batches/<int:pk>/participation/invitations.csv"),
    *("batches/<int:pk>/models/ratings.csv", "batches/<int:pk>/models/<int:run>/ratings.csv"),
    *("batches/<int:pk>/models/<int:run>/means.csv", "runs/<int:pk>/scores.csv"),
    *("reports/<int:pk>/bundle.zip", r"reports/^(?P<pk>[0-9]+)/(?P<address>.+\.\w+)$"),
    *("studies/<int:pk>/files/<str:name>", "api/v1/studies/<int:pk>/files/<str:file>"),
    *("api/v1/batches/<int:pk>/ratings/", "api/v1/batches/<int:pk>/files/<str:file>"),
    "api/v1/batches/<int:pk>/models/<int:run>/files/<str:file>",
    *(f"api/v1/reports/<int:pk>/files/{BUNDLE}", "api/v1/reports/<int:pk>/files/<path:address>"),
}
"""Every address that gives tables."""
NO_TABLE = ("admin/", "s/")
"""Django's own administration, and raters' pages: forms and pages alone, and they take other keys."""


def named(word, number):
    return f"{STARTS[number % len(STARTS)]}{word}{number}"


def make_named_corpus():
    """Five documents, readers and systems, each of which begins in another way."""
    readers, systems = ([named(word, number) for number in range(5)] for word in ("reader", "system"))
    words = cycle(("the", "old", "bridge", "closed", "for", "repairs", "until", "winter"))

    def text(length):
        return " ".join(next(words) for _ in range(length))

    documents = [
        values.Document(
            named("doc", number),
            named("title", number),
            text(12),
            {reader: text(5) for reader in readers},
            {system: {reader: text(4 + at) for reader in readers} for at, system in enumerate(systems)},
        )
        for number in range(5)
    ]
    return import_corpus(corpus=values.Corpus(tuple(documents)), name="=news", source="=test", now=NOW).corpus


def rename(model, **fields):
    for number, row in enumerate(model.objects.order_by("pk")):
        model.objects.filter(pk=row.pk).update(**{one: named(word, number) for one, word in fields.items()})


def make_site(settings):
    """A batch that was rated, marked and remarked on, by people and a model; its report; a study."""
    batch = make_batch(corpus=make_named_corpus(), name="=pilot", systems_per_questionnaire=5)
    for number in range(10):
        page = make_assignment(batch)
        codes = page.placements.order_by("item").values_list("code", flat=True)
        answers = {code: 1 + (number + at) % 6 for at, code in enumerate(codes)}
        first = {codes[0]: CannotJudge("other", "=why")} if number == 9 else {}
        submit_questionnaire(assignment=page, answers=answers | first, now=NOW)
    rename(Rater, code="rater", name="somebody")
    rename(Assignment, comment="remark")
    Assignment.objects.update(commented_at=NOW)
    rename(Mark, words="why")
    exclude_rater(rater=batch.people.order_by("pk")[0], reason="=asleep", now=NOW)
    create_invitations(batch=batch, count=2, now=NOW)
    with configured(settings):
        run_one(batch)
    rename(ModelRun, name="judge")
    make_report(batch=batch, resamples=1000, model_runs=list(ModelRun.objects.all()))
    import_study(name="=study", files=chosen_files(labels=LABELS), now=NOW)
    rename(Project, name="project")


def routes(patterns, before=""):
    for one in patterns:
        route = f"{before}{one.pattern}"
        if not route.startswith(NO_TABLE):
            yield from routes(one.url_patterns, route) if hasattr(one, "url_patterns") else [route]


def things():
    """By the beginning of an address the number of what it is about; all else is about the batch."""
    about = {"reports": Report, "corpora": Corpus, "studies": Study, "projects": Project}
    about |= {"runs": ScoreRun, "score-runs": ScoreRun}
    about |= {"batches": Batch, "run": ModelRun}
    return {start: model.objects.values_list("pk", flat=True).latest("pk") for start, model in about.items()}


def parts(route, numbers):
    """What may stand for each part of the route that is not fixed; a new kind of part is a KeyError."""
    start = route.removeprefix("api/v1/").partition("/")[0]
    files = {
        "batches": batch_files.FILES,
        "studies": (ALL, "labels.csv"),
        "help": ("none.png",),
    }
    one_file = model_files.FILES if "<int:run>" in route else files.get(start, ())
    tables = sorted(TABLES) if start == route.partition("/")[0] else SAME_MAKER
    none, nothing, files_there = ["none"], [0], list(one_file)
    known = {
        "<int:pk>": [numbers.get(start, numbers["batches"])],
        r"(?P<pk>[0-9]+)": [numbers["reports"]],
        "<int:run>": [numbers["run"]],
        "<int:corpus>": [numbers["corpora"]],
        **{r"(?P<address>.+\.\w+)": tables, "<path:address>": tables},
        **{"<str:file>": files_there, "<str:name>": files_there},
        "<slug:name>": ["glossary" if start == "help" else "forest"],
        **{"<str:language>": ["en"], "<slug:language>": ["en"]},
        **{"<slug:kind>": ["batch"], "<path:page>": ["first"], "<str:secret>": none},
        **{"<str:code>": none, "<str:username>": none},
        **{"<int:exclusion>": nothing, "<int:invitation>": nothing},
        **{"<int:delivery>": nothing, "<int:distances>": nothing},
    }
    return {part: known[part] for part in re.findall(r"\(\?P<\w+>[^)]*\)|<[^>]*>", route)}


def addresses(route, numbers):
    found = parts(route, numbers)
    for chosen in product(*found.values()):
        address = route.replace("^", "").replace("$", "")
        for part, value in zip(found, chosen, strict=True):
            address = address.replace(part, str(value))
        yield f"/{address}"


def tables_in(response):
    """The tables of an answer, those in an archive too, by name."""
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    content = b"".join(response) if kind in (CSV, ZIP) else b""
    if kind == CSV:
        return {"": content.decode()}
    if kind != ZIP:
        return {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".csv")}


def is_formula(cell):
    try:
        float(cell)
    except ValueError:
        return cell.startswith((*STARTS, "\r"))
    return False


@pytest.mark.django_db
def test_no_cell_of_any_table_that_the_site_gives_begins_like_a_formula(settings, admin_client):
    make_site(settings)
    admin_client.raise_request_exception, program = False, make_program()
    given, formulas, cells, numbers = set(), {}, set(), things()
    for route in routes(get_resolver().url_patterns):
        for address in addresses(route, numbers):
            with transaction.atomic():
                if route.startswith("api/"):
                    response = program.get(address, accept=f"{CSV}, */*;q=0.1")
                else:
                    response = admin_client.get(address)
                tables = tables_in(response)
                transaction.set_rollback(True)
            assert response.status_code < 500, address
            for name, text in tables.items():
                given.add(route)
                lines = csv.reader(io.StringIO(text, newline=""))
                found = {cell for line in lines for cell in line}
                cells |= found
                if bare := sorted(filter(is_formula, found)):
                    formulas[address, name] = bare
    assert (formulas, given) == ({}, GIVEN)
    plain = {unmark_text(cell) for cell in cells}
    words = ("doc", "reader", "system", "rater", "remark")
    names = {named(word, number) for word in words for number in range(5)}
    assert names - plain == set()
    assert {"=why0", "=asleep", "=r1"} <= plain
