"""What every response carries, and what the log keeps of a request."""

import re
from pathlib import Path

import pytest
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.test import Client, RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

from survey_site.common.scripts import script_elements
from survey_site.common.stylesheet import whole_stylesheet
from survey_site.survey import urls as survey_urls
from tests.factories.batches import make_batch

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))


def test_nothing_inline_and_nothing_from_elsewhere_may_run(client):
    policy = client.get("/accounts/login/").headers["Content-Security-Policy"]
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert {name: value for name, value in directives.items() if value not in {"'none'", "'self'"}} == {}


def test_the_policy_is_the_one_that_django_csp_puts_together(client):
    page = client.get("/accounts/login/")
    ours = page.headers["Content-Security-Policy"]
    del page.headers["Content-Security-Policy"]
    theirs = CSPMiddleware(lambda _request: page)(RequestFactory().get("/accounts/login/"))
    assert theirs.headers["Content-Security-Policy"] == ours


@pytest.mark.parametrize("path", ["/accounts/login/", "/no/such/page/", "/s/none/", "/health/live/"])
@pytest.mark.django_db
def test_every_answer_says_what_it_may_load(client, path):
    assert "default-src 'none'" in client.get(path).headers["Content-Security-Policy"]


def test_pages_cannot_be_framed_and_tell_other_sites_nothing(client):
    headers = client.get("/accounts/login/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/batches/", "/reports/", "/corpora/", "/admin/", "/no/such/page/"])
def test_nothing_that_the_site_computes_stays_in_a_cache(admin_client, path):
    assert admin_client.get(path).headers["Cache-Control"] == "private, no-store"


@pytest.mark.django_db
def test_no_page_of_raters_stays_in_a_cache(client):
    """Every address of theirs, whatever it answers with."""
    token = make_batch().token
    values = {"<str:token>": token, "<str:code>": "none", "<path:rest>": "none"}
    for one in survey_urls.urlpatterns:
        path = f"/s/{one.pattern}"
        for placeholder, value in values.items():
            path = path.replace(placeholder, value)
        for method in (client.get, client.post):
            assert method(path).headers["Cache-Control"] == "private, no-store", path


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(settings.BASE_DIR)))
def test_templates_have_nothing_that_the_policy_would_block(path):
    text = path.read_text(encoding="utf-8")
    assert (
        re.findall(
            r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:|https?://(?!www\.w3\.org)", text
        )
        == []
    )


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(settings.BASE_DIR)))
def test_static_files_that_templates_name_exist(path):
    tags = re.findall(r"{% (?:static|scripts) ([^%]+) %}", path.read_text(encoding="utf-8"))
    names = [name.strip("'\"") for tag in tags for name in tag.split()]
    assert [name for name in names if finders.find(name) is None] == []


def test_scripts_that_import_others_are_loaded_together_with_these():
    """The tag `scripts` names what they import, `static` does not."""
    templates = [path.read_text(encoding="utf-8") for path in TEMPLATES]
    alone = {name for text in templates for name in re.findall(r"""{% static ['"](js/[^'"]+)""", text)}
    assert [name for name in sorted(alone) if "modulepreload" in script_elements((name,))] == []


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ('import { keep } from "./kept.js";', ["kept.js"]),
        ('import {\n  keep,\n  readKept,\n} from "../js/kept.js";', ["kept.js"]),
        ("import * as kept from './kept.js';\nimport './digits.js';", ["kept.js", "digits.js"]),
        ('export { keep } from "./kept.js";', ["kept.js"]),
        ('export const path = "./kept.js"; // import "./digits.js"', []),
        ('const later = () => import("./kept.js");', []),
    ],
)
def test_what_a_script_imports_is_named_with_it(text, imported, settings, tmp_path):
    settings.STATICFILES_DIRS = [tmp_path, *settings.STATICFILES_DIRS]
    script = tmp_path / f"js/{tmp_path.name}.js"
    script.parent.mkdir()
    script.write_text(text)
    elements = script_elements((f"js/{script.name}",))
    links = "".join(f'<link rel="modulepreload" href="/static/js/{name}">' for name in imported)
    assert elements == f'{links}<script type="module" src="/static/js/{script.name}"></script>'


@pytest.fixture
def collected(settings, tmp_path):
    """The folder of files as they are served, collected over what an earlier version left there."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "survey_site.common.stylesheet.SiteFilesStorage"}
    }
    for _ in range(2):
        call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path


def test_the_collected_stylesheet_is_one_file_with_all_its_parts(collected, settings):
    (sheet,) = collected.glob("css/concord.????????????.css")
    text = sheet.read_text(encoding="utf-8")
    parts = {path.name: path for path in (settings.BASE_DIR / "static/css").glob("*.css")}
    source = parts.pop("concord.css").read_text(encoding="utf-8")
    assert [name for name, path in parts.items() if path.read_text(encoding="utf-8") not in text] == []
    assert re.findall(r'@import url\("([^"]+)"\)', source) == sorted(
        parts, key=lambda name: text.index(parts[name].read_text(encoding="utf-8"))
    )
    assert "@import" not in text
    assert text.index("@media print {") < text.index(parts["print.css"].read_text(encoding="utf-8"))


def test_a_checkout_too_serves_the_stylesheet_in_one_piece(settings, tmp_path, rf):
    settings.CONCORD_DATA_DIR = tmp_path
    settings.WHITENOISE_USE_FINDERS, settings.WHITENOISE_AUTOREFRESH = True, False
    response = WhiteNoiseMiddleware(lambda _request: None)(rf.get("/static/css/concord.css"))
    with response.file_to_stream as stream:
        sent = stream.read().decode()
    assert sent == whole_stylesheet()
    assert "@import" not in sent
    assert ".rating-bar" in sent
    assert [Path(one).parent.name for one in finders.find("css/concord.css", find_all=True)] == ["css"] * 2


def test_collected_files_are_sent_compressed_and_kept_for_good(collected, settings, rf):
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = False
    served = WhiteNoiseMiddleware(lambda _request: None)
    address = staticfiles_storage.url("css/concord.css")
    response = served(rf.get(address, headers={"accept-encoding": "gzip"}))
    assert re.fullmatch(r"/static/css/concord\.[0-9a-f]{12}\.css", address)
    assert response.headers["Content-Encoding"] == "gzip"
    assert response.headers["Cache-Control"] == "max-age=315360000, public, immutable"


@pytest.mark.django_db
def test_the_log_keeps_the_route_but_neither_path_nor_address(client, caplog):
    with caplog.at_level("INFO", logger="survey_site.requests"):
        client.get("/s/a-secret-token/", REMOTE_ADDR="203.0.113.9")
    lines = [record.getMessage() for record in caplog.records if record.name == "survey_site.requests"]
    assert len(lines) == 1
    assert re.fullmatch(r"GET /s/<str:token>/ 404 \d+ ms", lines[0])


@pytest.mark.django_db
def test_an_unknown_address_is_answered_without_the_staff_frame(client):
    response = client.get("/nothing/here/")
    assert response.status_code == 404
    assert "There is nothing at this address" in response.content.decode()
    assert "site-header" not in response.content.decode()


def test_a_failure_has_a_page_that_needs_nothing(rf):
    from django.views.defaults import server_error

    response = server_error(rf.get("/"))
    assert response.status_code == 500
    assert "Something went wrong on our side" in response.content.decode()


def test_a_browser_that_asks_by_itself_finds_an_icon(client):
    address = client.get("/favicon.ico").headers["Location"]
    assert finders.find(address.removeprefix("/static/")) is not None


def test_a_form_without_its_token_is_refused_with_a_page_that_says_what_to_do():
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"username": "ada"})
    assert response.status_code == 403
    assert "This form was not accepted" in response.content.decode()
