"""Every address of the site, with what is sent to it, for benchmarks that ask all of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Values = dict[str, Any]
REPORT = {"measures": ["jsd"], "surrogates": ["jsd"], "resamples": 1000}
OUTSIDE = ("admin/", "accounts/logout/", "help/")


@dataclass(frozen=True)
class Site:
    """The rows that addresses name, and who asks."""

    values: Values
    cookie: tuple[str, str]
    token: str
    user: Any


@dataclass(frozen=True)
class Asked:
    method: str
    address: str
    body: Values | None = None

    @property
    def is_of_program(self) -> bool:
        return self.address.startswith("/api/")


def forms(site: Site) -> dict[str, list[Values]]:
    """What is sent to addresses that do nothing with an empty form, by route."""
    values = site.values
    batch, code = values["batch"], values["code"]
    why = {"reason": "They answered at random."}
    return {
        "reports/new/": [_report_form(site, seed) for seed in (0, 7)],
        "batches/<int:pk>/quality/": [{"rater": code, **why}, {"questionnaires": "1-50", **why}],
        "batches/<int:pk>/quality/raters/<str:code>/": [why],
        "batches/<int:pk>/close/": [{"confirm": "on"}],
        "keep/<slug:kind>/<int:pk>/delete/": [{"confirm": "on", "name": values["name"]}],
        "api/v1/reports/": [{"batch": batch, **REPORT, "seed": seed} for seed in (0, 7)],
        "api/v1/score-runs/": [{"batch": batch, "measure": "rouge-l"}],
        "api/v1/batches/<int:pk>/exclusions/": [{"rater": code, **why}],
    }


def _report_form(site: Site, seed: int) -> Values:
    """The form of a report as its page offers it."""
    from survey_site.reports.forms import ReportForm

    form = ReportForm(user=site.user)
    offered = {field.name: field.initial for field in form if field.initial is not None}
    return {**offered, **REPORT, "batch": site.values["batch"], "seed": seed}


QUERIES = {
    "reports/new/": ["?batch={batch}"],
    "reports/compare/": ["?a={report}&b={other}"],
    "api/v1/reports/compare/": ["?a={report}&b={other}"],
    "reports/<int:pk>/bundle.zip": ["?texts=hashes"],
    "batches/<int:pk>/ratings.csv": ["?include=surplus&include=excluded&include=marked"],
    "api/v1/batches/<int:pk>/ratings/": ["?page_size=1000", "?include=excluded&page_size=1000"],
}


def routes(patterns: Any = None, prefix: str = "") -> Iterator[str]:
    from django.urls import get_resolver

    for one in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(one.pattern)
        if route.startswith(OUTSIDE):
            continue
        yield from routes(one.url_patterns, route) if hasattr(one, "url_patterns") else [route]


def addresses(route: str, values: Values) -> list[str]:
    """The addresses of a route about the rows that are there."""
    from survey_site.desk.files import FILES as BATCH_FILES
    from survey_site.reports.downloads import ADDRESSES

    if "(?P<address>" in route:
        return [f"/reports/{values['report']}/{address}" for address in ADDRESSES]
    if "<path:address>" in route:
        return [f"/api/v1/reports/{values['report']}/files/{address}" for address in ADDRESSES]
    if "<slug:kind>" in route:
        kinds = ("batch", "report", "corpus")
        return [_filled(route.replace("<slug:kind>", kind), values | {"pk": values[kind]}) for kind in kinds]
    if route.startswith("api/v1/batches/<int:pk>/files/"):
        return [_filled(route, values | {"pk": values["batch"], "file": name}) for name in BATCH_FILES]
    path = route.removeprefix("api/v1/")
    owner = next((name for start, name in _OWNERS if path.startswith(start)), "none")
    if route.startswith("s/"):
        values = values | {"code": values["page"]}
    return [_filled(route, values | {"pk": values.get(owner, 1)})]


_OWNERS = (
    ("reports/", "report"),
    ("batches/", "batch"),
    ("corpora/", "corpus"),
    ("runs/", "run"),
    ("score-runs/", "run"),
    ("accounts/people/", "user"),
)


def _filled(route: str, values: Values) -> str:
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda part: str(values.get(part[1], 1)), route)


def requests_of(site: Site) -> Iterator[Asked]:
    sent = forms(site)
    for route in routes():
        for address in addresses(route, site.values):
            yield Asked("GET", address)
            yield from (
                Asked("GET", address + query.format(**site.values)) for query in QUERIES.get(route, ())
            )
            yield from (Asked("POST", address, form) for form in sent.get(route, [{}]))
