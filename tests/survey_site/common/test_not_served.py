"""What nobody gets: answers for other sites, what somebody else sent, lists of folders, the data folder."""

import pytest
from django.conf import settings
from django.test import Client
from whitenoise.middleware import WhiteNoiseMiddleware

from tests.factories.accounts import make_user
from tests.factories.api import make_program

ELSEWHERE = {"origin": "https://evil.example", "access-control-request-method": "POST"}
PATHS = (
    *("/", "/accounts/login/", "/corpora/import/", "/admin/", "/s/none/", "/api/v1/corpora/"),
    *("/health/alive/", "/static/css/concord.css", "/no/such/page/"),
)


def allowances(response):
    return [name for name in response.headers if name.lower().startswith("access-control-")]


@pytest.mark.django_db
@pytest.mark.parametrize("path", PATHS)
def test_no_other_site_may_read_an_answer(admin_client, path):
    answers = [
        getattr(admin_client, method)(path, headers=ELSEWHERE) for method in ("get", "post", "options")
    ]
    assert [allowances(one) for one in answers] == [[], [], []]


@pytest.mark.django_db
def test_no_other_site_may_read_what_a_token_opens():
    answer = make_program().get("corpora/", **{"origin": "https://evil.example"})
    assert (answer.status_code, allowances(answer)) == (200, [])


def test_the_proxy_allows_it_to_none_either():
    text = (settings.BASE_DIR / "deploy/Caddyfile").read_text(encoding="utf-8")
    assert "reverse_proxy" in text
    assert "access-control" not in text.lower()


@pytest.mark.django_db
@pytest.mark.parametrize("path", PATHS)
def test_no_address_answers_trace(path):
    client, root = Client(), make_user(role="admin")
    root.is_staff = root.is_superuser = True
    root.save()
    client.force_login(root)
    answer = client.trace(path, headers={"x-secret": "only-for-the-proxy"})
    sent = b"".join(answer.streaming_content) if answer.streaming else answer.content
    assert (answer.status_code, sent) == (405, b"")
    assert "TRACE" not in answer.headers["Allow"]
    assert "only-for-the-proxy" not in repr(answer.headers)


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/static/", "/static/css/", "/static/css", "/static/admin/", "/media/"])
def test_no_folder_is_listed(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/static/", "/static/css/", "/static/css", "/static/../secret-key"])
def test_no_folder_of_collected_files_is_listed(settings, tmp_path, rf, path):
    settings.STATIC_ROOT = tmp_path / "static"
    settings.WHITENOISE_USE_FINDERS = settings.WHITENOISE_AUTOREFRESH = False
    (settings.STATIC_ROOT / "css").mkdir(parents=True)
    (settings.STATIC_ROOT / "css/site.css").write_text("p {}")
    (tmp_path / "secret-key").write_text("secret")
    served = WhiteNoiseMiddleware(lambda _request: None)
    assert served(rf.get(path)) is None
    assert served(rf.get("/static/css/site.css")).status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("before", ["/", "/static/", "/static/../", "/static/%2e%2e/", "/media/", "/data/"])
def test_no_address_shows_the_data_folder(settings, tmp_path, client, before):
    settings.CONCORD_DATA_DIR = tmp_path
    (tmp_path / "shell.py").write_text("print('run')")
    paths = [f"{before}shell.py", f"{before}{tmp_path}/shell.py", f"{before}{tmp_path.name}/shell.py"]
    assert [client.get(path).status_code for path in paths] == [404] * 3
