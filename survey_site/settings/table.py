"""Every setting that a deployment may change, declared once: name, type, default, variable, help.

`reading` takes their values from the environment, and docs/settings.md is checked against this table.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

BASE_DIR = Path(__file__).resolve().parent.parent.parent


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
        "CONCORD_DISTANCES_URL",
        str,
        "",
        "CONCORD_DISTANCES_URL",
        "Where distances are kept: a folder, or a URL of fsspec that all workers reach, such as s3://bucket/x.",
        "Default: the folder distances in CONCORD_DATA_DIR.",
    ),
    Setting(
        "CONCORD_SHARD_PAIRS",
        int,
        200_000,
        "CONCORD_SHARD_PAIRS",
        "Most pairs of texts in a part of a run; a run of more is cut into parts that any worker computes.",
    ),
    Setting(
        "CONCORD_SHARD_QUEUES",
        list,
        (),
        "CONCORD_SHARD_QUEUES",
        "Queues that have workers of their own for parts of runs: cpu, gpu, or both, with commas between.",
        "Default: parts wait in the queue celery like all else, which is right for one machine.",
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
        "DATABASE_PASSWORD",
        str,
        None,
        "DATABASE_PASSWORD",
        "Password of the database, so that DATABASE_URL holds none; for DATABASE_PASSWORD_FILE above all.",
        "Default: that of DATABASE_URL.",
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
        "CELERY_BROKER_PASSWORD",
        str,
        None,
        "CELERY_BROKER_PASSWORD",
        "Password of the broker, so that CELERY_BROKER_URL holds none, likewise.",
        "Default: that of CELERY_BROKER_URL.",
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
        "commands `import_corpus`, `import_distances`, `import_ratings` and `import_study`.",
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
        "CONCORD_API_REQUESTS",
        int,
        600,
        "CONCORD_API_REQUESTS",
        "Requests that one API token may send in a minute.",
    ),
    Setting(
        "CONCORD_WEBHOOK_NETWORKS",
        list,
        (),
        "CONCORD_WEBHOOK_NETWORKS",
        "Private networks to which webhooks may be sent, such as 10.1.2.0/24, by commas.",
        "Default: none; webhooks go to public addresses alone.",
    ),
    Setting(
        "CONCORD_WEBHOOK_HTTP",
        bool,
        False,
        "CONCORD_WEBHOOK_HTTP",
        "Webhooks may be sent to addresses without TLS (http://), too; others can read and forge these.",
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
        "CONCORD_REQUIRE_SECOND_STEP",
        str,
        "none",
        "CONCORD_REQUIRE_SECOND_STEP",
        "Who has to set up a second step of logging in (codes of an app): none, admins or all.",
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
        "Key for that server, where it wants one, from environment or file; stored and shown nowhere.",
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
    Setting(
        "CONCORD_LOG_FORMAT",
        str,
        "text",
        "CONCORD_LOG_FORMAT",
        "How web server and workers log: text, lines for people, or json, one JSON object a line.",
    ),
    Setting(
        "CONCORD_METRICS_TOKEN",
        str,
        None,
        "CONCORD_METRICS_TOKEN",
        "Bearer token with which Prometheus may read /metrics/; at least 20 random characters.",
        "No default: without it and without CONCORD_METRICS_NETWORKS nothing is measured, and nobody reads "
        "it.",
    ),
    Setting(
        "CONCORD_METRICS_NETWORKS",
        list,
        (),
        "CONCORD_METRICS_NETWORKS",
        "Networks from which /metrics/ may be read without a token, such as 10.0.0.0/8, by commas.",
    ),
)
