"""The clock is an argument: only what a request, a command or a task begins with reads it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2] / "survey_site"
BEGINNINGS = re.compile(r"(^|_|/)views\.py$|/commands/|/tasks\.py$|/migrations/")
KNOWN = {
    "desk/home.py",  # the view of the start page
    "accounts/sessions.py",  # when a log-in began and was last used
    "webhooks/watching.py",  # a thread that delivers webhooks
    "reports/noticing.py",  # a thread that looks for what staff should know of
    "survey/pages/access.py",  # the decorator of raters' views
    "survey/pages/rating_page.py",  # the end of raters' views: the page says when it was made
    "operations/presence.py",  # a thread that says that a worker lives
    "reports/rescue.py",  # a thread that looks for lost work, every so often
    "reports/downloads.py",
    "reports/bundles/downloads.py",
    "reports/services.py",  # a clock as argument, for jobs that outlast a moment
    "model_raters/services.py",
    "scoring/services.py",
    "rehearsal/scripts.py",  # plays people, and is none of the site
    "rehearsal/logbook.py",
}


def test_services_and_queries_are_given_the_time():
    files = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in ROOT.rglob("*.py")}
    readers = {name for name, text in files.items() if re.search(r"\b(timezone|datetime)\.now\b", text)}
    assert {name for name in readers if not BEGINNINGS.search(name)} - KNOWN == set()
