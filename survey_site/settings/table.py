"""Every setting that a deployment may change, declared once: name, type, default, variable, help.

`base` reads its values from here and nowhere else, and docs/settings.md is checked against this table.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent.parent

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off", ""})


@dataclass(frozen=True)
class Setting:
    """One setting. `default` None means that there is none; `note` says what happens then."""

    name: str
    type: type
    default: Any
    env: str
    help: str
    note: str = ""


SETTINGS: tuple[Setting, ...] = (
    Setting("DEBUG", bool, False, "DEBUG", "Show tracebacks in the browser. Never on a reachable machine."),
    Setting(
        "SECRET_KEY",
        str,
        None,
        "SECRET_KEY",
        "Signs sessions and forms; at least 50 random characters.",
        "No default. With SQLite (one machine) a key is made once and kept in CONCORD_DATA_DIR/secret-key "
        "(mode 600); with any other database the site refuses to start without one.",
    ),
    Setting(
        "CONCORD_DATA_DIR",
        Path,
        BASE_DIR / "var",
        "CONCORD_DATA_DIR",
        "Folder for the SQLite file, distances, contributions and exports. Default: var/ in the checkout.",
        "It is made, or made again at each start, for the account that runs the site alone (mode 700).",
    ),
    Setting(
        "DATABASE_URL",
        str,
        None,
        "DATABASE_URL",
        "Database as a URL, for example postgres://user:password@host:5432/concord.",
        "Default: SQLite at CONCORD_DATA_DIR/concord.sqlite3.",
    ),
    Setting(
        "CELERY_BROKER_URL",
        str,
        None,
        "CELERY_BROKER_URL",
        "Broker of the background tasks, for example amqp://user:password@host:5672//.",
        "Default: the embedded Valkey of one machine, a socket in CONCORD_DATA_DIR.",
    ),
    Setting(
        "ALLOWED_HOSTS",
        list,
        ("localhost", "127.0.0.1", "[::1]"),
        "ALLOWED_HOSTS",
        "Host names under which the site may be reached, separated by commas.",
    ),
    Setting(
        "CSRF_TRUSTED_ORIGINS",
        list,
        (),
        "CSRF_TRUSTED_ORIGINS",
        "Origins (https://survey.example.org) of forms that reach the site through a proxy, by commas.",
    ),
    Setting(
        "CONCORD_HTTPS",
        bool,
        False,
        "CONCORD_HTTPS",
        "The site is served over HTTPS: redirect to it, secure cookies, HSTS of one day.",
    ),
    Setting(
        "CONCORD_BEHIND_PROXY",
        bool,
        False,
        "CONCORD_BEHIND_PROXY",
        "A proxy in front ends HTTPS and always sets X-Forwarded-Proto; without one anybody could forge it.",
    ),
    Setting(
        "CONCORD_COLLECTED_STATIC",
        bool,
        False,
        "CONCORD_COLLECTED_STATIC",
        "Serve hashed, compressed static files, not the checkout's; set for `manage.py collectstatic` too.",
    ),
    Setting(
        "CONCORD_UPLOAD_LIMIT_MB",
        int,
        100,
        "CONCORD_UPLOAD_LIMIT_MB",
        "Largest upload accepted by a web page, all files together, in megabytes (10^6 bytes).",
        "Reading one takes about twice as much memory of the web process; larger ones are for the "
        "commands `import_corpus`, `import_distances` and `import_ratings`.",
    ),
    Setting(
        "CONCORD_JOINS_PER_ADDRESS",
        int,
        1000,
        "CONCORD_JOINS_PER_ADDRESS",
        "Newcomers of one batch from one network address in ten minutes.",
    ),
    Setting(
        "CONCORD_POSTS_PER_RATER",
        int,
        1200,
        "CONCORD_POSTS_PER_RATER",
        "Requests that one rater may send in a minute; a quick person sends about 60.",
    ),
    Setting(
        "CONCORD_LIMITS_URL",
        str,
        None,
        "CONCORD_LIMITS_URL",
        "Redis or Valkey server in which several web processes count requests together: redis://host:6379/1.",
        "Default: each web process counts its own, so that so many processes allow that many times as much.",
    ),
    Setting(
        "CONCORD_SITE_URL",
        str,
        "",
        "CONCORD_SITE_URL",
        "Address of the site for links in mails, for example https://concord.example.org.",
    ),
    Setting(
        "CONCORD_MAIL_URL",
        str,
        None,
        "CONCORD_MAIL_URL",
        "Mail server: smtp://user:password@host:25, smtp+tls://... (port 587) or smtp+ssl://... (port 465).",
        "Default: no mail is sent, and links to accounts are shown to be handed over. With it "
        "CONCORD_SITE_URL and CONCORD_MAIL_FROM have to be set; `manage.py doctor` tries it.",
    ),
    Setting(
        "CONCORD_MAIL_FROM",
        str,
        "",
        "CONCORD_MAIL_FROM",
        "Sender of the site's mails, for example Concord <concord@example.org>.",
    ),
    Setting(
        "CONCORD_LINK_DAYS",
        int,
        7,
        "CONCORD_LINK_DAYS",
        "Days for which a link of an invitation, or to a new password, works.",
    ),
    Setting(
        "CONCORD_LANGUAGE",
        str,
        "en",
        "CONCORD_LANGUAGE",
        "Language of raters' pages where a batch names none: en, ar.",
    ),
    Setting(
        "CONCORD_LLM_URL",
        str,
        "",
        "CONCORD_LLM_URL",
        "Base address of a server of language models that may rate batches: http://localhost:8000/v1.",
        "Default: no model is configured, and no page mentions one. Texts of a batch are sent there once an "
        "admin confirms it.",
    ),
    Setting(
        "CONCORD_LLM_MODEL",
        list,
        (),
        "CONCORD_LLM_MODEL",
        "Names under which that server has its models, with commas between.",
    ),
    Setting(
        "CONCORD_LLM_KEY",
        str,
        "",
        "CONCORD_LLM_KEY",
        "Key for that server, where it wants one. Only in the environment: it is stored and shown nowhere.",
    ),
    Setting(
        "CONCORD_LLM_CONCURRENT",
        int,
        8,
        "CONCORD_LLM_CONCURRENT",
        "Requests to that server at once, of each run.",
    ),
    Setting(
        "CONCORD_LLM_TOKENS_PER_RUN",
        int,
        5_000_000,
        "CONCORD_LLM_TOKENS_PER_RUN",
        "Most tokens of one run, prompts and replies together; one that may need more is not begun.",
    ),
    Setting(
        "CONCORD_LLM_PRICE_IN",
        float,
        None,
        "CONCORD_LLM_PRICE_IN",
        "Price of a million prompt tokens, in any currency, to show what a run costs.",
        "No cost is shown unless both prices are set.",
    ),
    Setting(
        "CONCORD_LLM_PRICE_OUT",
        float,
        None,
        "CONCORD_LLM_PRICE_OUT",
        "Price of a million tokens of replies, in the same currency.",
        "No cost is shown unless both prices are set.",
    ),
    Setting(
        "CONCORD_PLUGINS",
        list,
        (),
        "CONCORD_PLUGINS",
        "Python files of measures of your own, with commas between; every process runs them when it starts.",
    ),
    Setting(
        "CONCORD_RETENTION_DAYS",
        int,
        None,
        "CONCORD_RETENTION_DAYS",
        "Days after its closing for which a batch keeps who its raters were (`manage.py retention`).",
        "No default: nothing is deleted until the command is told how long data is kept.",
    ),
    Setting("TIME_ZONE", str, "UTC", "TIME_ZONE", "Time zone of the pages, for example Europe/Berlin."),
    Setting(
        "LOG_LEVEL", str, "INFO", "LOG_LEVEL", "Least level that is logged: DEBUG, INFO, WARNING, ERROR."
    ),
)


def _parse_bool(text: str) -> bool:
    value = text.strip().lower()
    if value not in TRUE | FALSE:
        raise ValueError(f"{text!r} is neither true nor false")
    return value in TRUE


def _parse_list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


PARSERS: Mapping[type, Callable[[str], Any]] = {
    bool: _parse_bool,
    int: int,
    float: float,
    list: _parse_list,
    str: str,
    Path: lambda text: Path(text).expanduser().resolve(),
}


def read_settings(environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The value of each declared setting; a value that does not parse names its variable."""
    return {setting.name: _read(setting, environ) for setting in SETTINGS}


def _read(setting: Setting, environ: Mapping[str, str]) -> Any:
    text = environ.get(setting.env)
    if text is None:
        return list(setting.default) if setting.type is list else setting.default
    try:
        return PARSERS[setting.type](text)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"Environment variable {setting.env}={text!r} is not a valid {setting.type.__name__}: {error}"
        ) from error
