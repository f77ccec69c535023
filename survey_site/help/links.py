"""Where pages of the site lead for help: one table, each row a part of the documentation."""

from collections.abc import Mapping

from django.urls import reverse

from survey_site.help.anchors import slug

GLOSSARY = "glossary"

_SECTION = "reports#section-by-section--"

HELP: Mapping[str, str] = {
    "report": "reports",
    "report-answer": "reports#can-the-ratings-carry-an-answer",
    "report-primary": "reports#the-declared-primary-coefficient",
    "report-leaderboard": f"{_SECTION}leaderboard",
    "report-correlations": f"{_SECTION}correlations",
    "report-forest": f"{_SECTION}how-sure",
    "report-robustness": f"{_SECTION}does-it-hold",
    "report-sentinels": f"{_SECTION}sentinels",
    "report-models": f"{_SECTION}models-beside-people",
    "report-scatter": f"{_SECTION}scatter-plot",
    "report-agreement": f"{_SECTION}raters",
    "report-left-out": f"{_SECTION}left-out",
    "report-studies": "reports#what-meta-evaluation-asks-by-now",
    "report-prompts": f"{_SECTION}prompt-paradoxes",
    "report-published": "reports#published-numbers",
    "report-methods": f"{_SECTION}methods",
    "report-take-away": "exports",
    "report-papers": "reports#as-in-the-papers",
    "report-compare": "exports#two-reports-side-by-side",
    "report-new": "reports",
    "corpus-import": "admins#importing-a-corpus",
    "batch-plan": "admins#planning",
    "batch-draft": "admins#before-the-launch",
    "batch-launch": "admins#before-the-launch",
    "batch-monitor": "admins#watching-a-batch",
    "batch-taking-part": "admins#who-takes-part-and-panels",
    "batch-precision": "admins#what-a-plan-buys",
    "batch-freeze": "admins#freezing",
    "quality": "admins#checks-and-exclusions",
    "quality-agreement": "admins#agreement",
    "quality-positions": "admins#positions",
    "quality-controls": "admins#control-pairs",
    "ratings-upload": "admins#uploaded-ratings",
    "distances-upload": "own-measures#distances-on-the-site",
    "model-raters": "models#on-the-site",
    "model-judges": "perse#on-the-site",
    "user-studies": "usersumbench#on-the-site",
    "status": "deployment#metrics-and-the-status-page",
    "measures": "measures",
    "api-tokens": "api#tokens",
    "second-step": "admins#second-step",
    "webhooks": "webhooks",
}
"""Each place that offers help: the page of the documentation, and the part of it."""


def help_address(place: str) -> str:
    """Where help on this place of the site is; KeyError for one that the table does not have."""
    return address_of(HELP[place])


def term_address(term: str) -> str:
    """Where the glossary explains a term, named as its heading there."""
    return address_of(f"{GLOSSARY}#{slug(term)}")


def address_of(target: str) -> str:
    """The address of "page#part", or of "page"."""
    page, mark, part = target.partition("#")
    return f"{reverse('help:page', args=[page])}{mark}{part}"
