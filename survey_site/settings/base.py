"""Django's settings, built from the declared table. What is not in the table is the same everywhere."""

import os
from datetime import timedelta
from typing import Any

import environ
from csp.constants import NONE, SELF
from kombu.entity import Exchange, Queue

from survey_site.settings.api import REST_FRAMEWORK, SPECTACULAR_SETTINGS  # noqa: F401 - Django reads them
from survey_site.settings.languages import languages, rater_language
from survey_site.settings.llm import QUEUE, llm_settings
from survey_site.settings.logs import logging_settings
from survey_site.settings.mail import mail_settings
from survey_site.settings.metrics import metrics_settings, webhook_networks
from survey_site.settings.queues import DEFAULT, SHARED, shard_queues
from survey_site.settings.reading import read_settings
from survey_site.settings.secret import (
    prepare_installation,
    provide_model_key,
    read_local_secret_key,
    with_password,
)
from survey_site.settings.sign_in import openid_settings, second_step_required_of
from survey_site.settings.table import BASE_DIR

_values = read_settings()
if os.environ.get("DJANGO_SETTINGS_MODULE") == "survey_site.settings":
    prepare_installation(_values)  # tests and tools import this module too, and must write nothing

DEBUG: bool = _values["DEBUG"]
CONCORD_DATA_DIR = _values["CONCORD_DATA_DIR"]
CONCORD_UPLOAD_LIMIT_MB: int = _values["CONCORD_UPLOAD_LIMIT_MB"]
SECRET_KEY: str = _values["SECRET_KEY"] or read_local_secret_key(CONCORD_DATA_DIR)
ALLOWED_HOSTS: list[str] = _values["ALLOWED_HOSTS"]
CSRF_TRUSTED_ORIGINS: list[str] = _values["CSRF_TRUSTED_ORIGINS"]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "survey_site.common",
    "survey_site.projects",
    "survey_site.accounts",
    "survey_site.help",
    "survey_site.corpus",
    "survey_site.batches",
    "survey_site.notices",
    "survey_site.webhooks",
    "survey_site.survey",
    "survey_site.uploads",
    "survey_site.quality",
    "survey_site.scoring",
    "survey_site.model_raters",
    "survey_site.reports",
    "survey_site.studies",
    "survey_site.keeping",
    "survey_site.api",
    "survey_site.operations",
    "survey_site.demo",
    "survey_site.rehearsal",
]

MIDDLEWARE = [
    "survey_site.common.middleware.RequestIdMiddleware",  # the first, so that every line has the id
    "survey_site.common.health.HealthMiddleware",  # before the redirect to https and the check of the host
    "django.middleware.security.SecurityMiddleware",
    "survey_site.common.middleware.ContentPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "survey_site.common.middleware.NoCacheMiddleware",  # after static files, which are kept for good
    "survey_site.common.middleware.RequestLogMiddleware",  # after static files, which need no log
    "survey_site.common.middleware.MethodMiddleware",
    "survey_site.common.middleware.LanguageMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "survey_site.common.uploading.BodyLimitMiddleware",  # before the next, which reads the body
    "django.middleware.csrf.CsrfViewMiddleware",
    "survey_site.common.nul.NulMiddleware",  # after the check of the form's token, which has read the body
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "survey_site.projects.showing.ShownProjectMiddleware",
    "survey_site.accounts.sessions.SeenMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "survey_site.common.middleware.ApplicationErrorMiddleware",
    "survey_site.accounts.second_step_gate.SecondStepMiddleware",  # asks who is logged in; so does the next
    "survey_site.projects.gate.ProjectGateMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "survey_site.urls"
WSGI_APPLICATION = "survey_site.wsgi.application"
ASGI_APPLICATION = "survey_site.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]


def database(url: str | None, password: str | None = None) -> dict[str, Any]:
    """One Django database entry. SQLite gets what several writing processes need, PostgreSQL less to plan."""
    config: dict[str, Any] = environ.Env.db_url_config(url or f"sqlite:///{CONCORD_DATA_DIR}/concord.sqlite3")
    if config["ENGINE"].endswith("sqlite3"):
        config["ENGINE"] = "survey_site.common.sqlite3"  # Django's, with a queue for those who write
        config["OPTIONS"] = {
            # A transaction that reads and later writes takes the write lock at once; otherwise it would fail
            # with "database is locked" instead of waiting its turn.
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            # FULL: what a rater was told is kept outlives a power cut too; a commit waits for the disk.
            # What is deleted is overwritten in the file; some builds of SQLite only mark its place as free.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;",
        }
        config["CONN_MAX_AGE"] = None  # opening the file costs more than most requests
    else:
        config["ENGINE"] = "survey_site.common.postgresql"  # Django's, which can keep plans
        config["PASSWORD"] = password or config["PASSWORD"]
        config["CONN_MAX_AGE"] = 60
        config["CONN_HEALTH_CHECKS"] = True
    return config


DATABASES = {"default": database(_values["DATABASE_URL"], _values["DATABASE_PASSWORD"])}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Counters of requests, forgotten with the process. Room for many raters: a full cache would forget at random.
_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
_SHARED = "django.core.cache.backends.redis.RedisCache"


def limits_cache(url: str | None) -> dict[str, Any]:
    if url:
        patience = {"socket_connect_timeout": 1, "socket_timeout": 1}  # seconds that a rater may wait for it
        return {"BACKEND": _SHARED, "LOCATION": url, "KEY_PREFIX": "concord-limits", "OPTIONS": patience}
    return {"BACKEND": _MEMORY, "LOCATION": "limits", "OPTIONS": {"MAX_ENTRIES": 100_000}}


CACHES = {"default": {"BACKEND": _MEMORY}, "limits": limits_cache(_values["CONCORD_LIMITS_URL"])}
CONCORD_API_REQUESTS: int = _values["CONCORD_API_REQUESTS"]
CONCORD_JOINS_PER_ADDRESS: int = _values["CONCORD_JOINS_PER_ADDRESS"]
CONCORD_PLUGINS: list[str] = _values["CONCORD_PLUGINS"]
CONCORD_POSTS_PER_RATER: int = _values["CONCORD_POSTS_PER_RATER"]
CONCORD_DISTANCES_URL: str = _values["CONCORD_DISTANCES_URL"]
CONCORD_SHARD_PAIRS: int = _values["CONCORD_SHARD_PAIRS"]
CONCORD_SHARD_QUEUES: list[str] = shard_queues(_values)
CONCORD_RETENTION_DAYS: int | None = _values["CONCORD_RETENTION_DAYS"]

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
SESSION_ENGINE = "survey_site.accounts.sessions"  # keeps hashes of keys, and whose session it is
LOGIN_URL = "accounts:login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

# Guessing passwords is slowed down by account and sender, of whom no network address is ever stored.
AXES_HANDLER = "survey_site.accounts.lockout.Handler"
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # who is refused adds nothing to what others meet
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "accounts/locked.html"
AXES_CLIENT_IP_CALLABLE = "survey_site.accounts.lockout.sender_of"
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "code"]  # what was typed is kept of none of them
# Wrong codes of the second step are counted and paused with wrong passwords, so that django-otp's own growing
# delay, which somebody who has the password could drive up to years, is off.
OTP_TOTP_THROTTLE_FACTOR = 0
OTP_TOTP_ISSUER = "Concord"
CONCORD_REQUIRE_SECOND_STEP = second_step_required_of(_values)
_openid = openid_settings(_values)
CONCORD_OIDC_ISSUER: str = _openid["CONCORD_OIDC_ISSUER"]
CONCORD_OIDC_CLIENT_ID: str = _openid["CONCORD_OIDC_CLIENT_ID"]
CONCORD_OIDC_CLIENT_SECRET: str = _openid["CONCORD_OIDC_CLIENT_SECRET"]
CONCORD_OIDC_NAME: str = _openid["CONCORD_OIDC_NAME"]
CONCORD_OIDC_AUTHORIZE_URL: str = _openid["CONCORD_OIDC_AUTHORIZE_URL"]
CONCORD_OIDC_TOKEN_URL: str = _openid["CONCORD_OIDC_TOKEN_URL"]
CONCORD_OIDC_KEYS_URL: str = _openid["CONCORD_OIDC_KEYS_URL"]
CONCORD_OIDC_BY_EMAIL: bool = _openid["CONCORD_OIDC_BY_EMAIL"]
CONCORD_OIDC_NEW_ROLE: str = _openid["CONCORD_OIDC_NEW_ROLE"]
CONCORD_OIDC_PASSWORDS: bool = _openid["CONCORD_OIDC_PASSWORDS"]
SILENCED_SYSTEM_CHECKS = [
    "mail.E001",  # a site may have no mail server: `manage.py doctor` says so in its own words
    "security.W005",  # HSTS for a whole domain and
    "security.W021",  # the browsers' preload list are for whoever owns the domain to decide
]

# Staff pages are in English; raters' pages also in every language that has a folder of translations.
LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "survey_site" / "locale"]
LANGUAGES = languages(LOCALE_PATHS[0])
CONCORD_LANGUAGE = rater_language(_values["CONCORD_LANGUAGE"], LANGUAGES)
TIME_ZONE: str = _values["TIME_ZONE"]
USE_TZ = True
USE_I18N = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
_collected: bool = _values["CONCORD_COLLECTED_STATIC"]
STATIC_ROOT = _values["CONCORD_STATIC_DIR"] if _collected else None
if not _collected:
    STATICFILES_FINDERS = [
        "survey_site.common.stylesheet.WholeStylesheetFinder",
        "django.contrib.staticfiles.finders.FileSystemFinder",
        "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    ]
WHITENOISE_USE_FINDERS = not _collected
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False
_STATIC_STORAGE = (
    "survey_site.common.stylesheet.SiteFilesStorage"
    if _collected
    else "django.contrib.staticfiles.storage.StaticFilesStorage"
)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _STATIC_STORAGE},
}

# Nothing inline, nothing from another machine.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = _values["CONCORD_HTTPS"]
SECURE_HSTS_SECONDS = 86_400 if _values["CONCORD_HTTPS"] else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _values["CONCORD_BEHIND_PROXY"] else None

CONCORD_SITE_URL: str = _values["CONCORD_SITE_URL"].rstrip("/")
CONCORD_LINK_DAYS: int = _values["CONCORD_LINK_DAYS"]
CONCORD_MAILS = bool(_values["CONCORD_MAIL_URL"])
DEFAULT_FROM_EMAIL: str = _values["CONCORD_MAIL_FROM"]
globals().update(mail_settings(_values))
_metrics = metrics_settings(_values)
CONCORD_METRICS: bool = _metrics["CONCORD_METRICS"]
CONCORD_METRICS_TOKEN: str = _metrics["CONCORD_METRICS_TOKEN"]
CONCORD_METRICS_NETWORKS: list[str] = _metrics["CONCORD_METRICS_NETWORKS"]
CONCORD_WEBHOOK_HTTP: bool = _values["CONCORD_WEBHOOK_HTTP"]
CONCORD_WEBHOOK_NETWORKS: list[str] = webhook_networks(_values["CONCORD_WEBHOOK_NETWORKS"])
provide_model_key(_values, os.environ)
_llm = llm_settings(_values)
CONCORD_LLM_URL: str = _llm["CONCORD_LLM_URL"]
CONCORD_LLM_MODELS: list[str] = _llm["CONCORD_LLM_MODELS"]
CONCORD_LLM_CONCURRENT: int = _llm["CONCORD_LLM_CONCURRENT"]
CONCORD_LLM_TOKENS_PER_RUN: int = _llm["CONCORD_LLM_TOKENS_PER_RUN"]
CONCORD_LLM_PRICE_IN: float | None = _llm["CONCORD_LLM_PRICE_IN"]
CONCORD_LLM_PRICE_OUT: float | None = _llm["CONCORD_LLM_PRICE_OUT"]

CELERY_BROKER_URL: str = with_password(
    _values["CELERY_BROKER_URL"] or f"redis+socket://{CONCORD_DATA_DIR}/valkey.sock",
    _values["CELERY_BROKER_PASSWORD"],
)
# Celery itself reads the variable CELERY_BROKER_URL, which may lack the password, and prefers it to the
# setting above; it prefers these two to both, and to its own option `-b`.
CELERY_BROKER_READ_URL = CELERY_BROKER_WRITE_URL = CELERY_BROKER_URL
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker gives up at no number of tries
CELERY_WORKER_CONSUMER = "survey_site.common.consumer:PromptConsumer"
CELERY_TIMEZONE = TIME_ZONE
# A worker that is told of no queue serves all; one for QUEUE alone keeps reports from waiting for models.
CELERY_TASK_DEFAULT_QUEUE = DEFAULT
# Each with a key of its own: with the default one, each queue would get what the other gets.
CELERY_TASK_QUEUES = tuple(
    Queue(name, Exchange(name), routing_key=name)  # type: ignore[no-untyped-call]
    for name in (CELERY_TASK_DEFAULT_QUEUE, *SHARED, QUEUE)
)
CELERY_TASK_ROUTES = {"model_raters.*": {"queue": QUEUE}}

LOGGING = logging_settings(_values)
