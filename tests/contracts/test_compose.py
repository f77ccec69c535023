"""The compose file, what it names, and the services of systemd agree with each other and with the site."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.urls import URLResolver, get_resolver

from meta_eval.measures.words.data_folder import data_folder
from survey_site.settings import base
from survey_site.settings.reading import read_settings
from survey_site.settings.secret import with_password
from survey_site.settings.table import SETTINGS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load(TEXT)
SERVICES = COMPOSE["services"]
BUILT = {"Dockerfile", "deploy/proxy.Dockerfile"}
EXACT = re.compile(r"\d+\.\d+(\.\d+)?(-[a-z]+)*")
OTHERS = {
    *("HF_HOME", "CONCORD_DATA", "OMP_NUM_THREADS", "CONCORD_HOST", "XDG_CONFIG_HOME"),
    *("POSTGRES_DB", "POSTGRES_USER", "POSTGRES_PASSWORD_FILE"),
}
"""Variables that are read by other programs than the site."""


STAGES = re.findall(
    r"^FROM \S+ AS (\w+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE
)


def target_of(service, workers="site"):
    """The stage of the Dockerfile that a service of the site runs, with workers of a kind; else None."""
    target = (service.get("build") or {}).get("target")
    return target and target.replace("${CONCORD_WORKERS:-site}", workers)


def dockerfile_of(service):
    build = service.get("build")
    return None if build is None else build.get("dockerfile", "Dockerfile")


def queues_of(command):
    return set(re.search(r"--queues (\S+)", command)[1].split(","))


def taking_files(resolver, before="/"):
    """The paths whose views take files, with a star for what changes in them."""
    for one in resolver.url_patterns:
        path = before + re.sub(r"<[^>]+>", "*", str(one.pattern))
        if isinstance(one, URLResolver):
            yield from taking_files(one, path)
        elif hasattr(one.callback, "uploads"):
            yield path


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_is_bounded_and_may_do_little(name):
    one = SERVICES[name]
    assert set(one["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert (one["read_only"], one["cap_drop"], one["security_opt"]) == (
        True,
        ["ALL"],
        ["no-new-privileges:true"],
    )


@pytest.mark.parametrize("name", SERVICES)
def test_a_machine_with_one_processor_can_start_each_service(name):
    """The engine refuses a limit above what the machine has, so that a higher one has to come from .env."""
    cpus = SERVICES[name]["deploy"]["resources"]["limits"]["cpus"]
    assert cpus.startswith("${CONCORD_") or float(cpus) <= 1


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate"}))
def test_each_service_that_stays_is_asked_for_its_health(name):
    assert SERVICES[name]["healthcheck"]["test"]


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_is_root(name):
    one = SERVICES[name]
    if file := dockerfile_of(one):
        stages = re.split(r"^FROM ", (ROOT / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
        users = [re.findall(r"^USER (\w+)$", stage, re.MULTILINE) for stage in stages if "\nUSER" in stage]
        assert {len(named) for named in users} == {1}
        user = "root" if ["root"] in users else users[0][0]
    assert one.get("user", "" if not file else user) not in {"", "root"}


def test_each_service_of_the_site_runs_a_stage_and_workers_may_have_any():
    """A worker with another build of PyTorch than its neighbour's refuses parts of the neighbour's run."""
    sites = {name: one for name, one in SERVICES.items() if target_of(one)}
    workers = {name for name in sites if name.startswith("worker")}
    assert {target_of(sites[name]) for name in sites} == {"site"}
    assert {name for name in sites if target_of(sites[name], "gpu") == "gpu"} == workers
    assert {target_of(sites[name], "cpu") for name in workers} == {"cpu"}
    assert {"site", "cpu", "gpu"} <= set(STAGES)
    for name in workers:  # else one image would be taken for another
        assert "${CONCORD_WORKERS:-site}" in sites[name]["image"]
    assert {sites[name]["image"] for name in set(sites) - workers} == {"concord:latest"}


def test_images_of_others_have_exact_versions():
    images = {one["image"] for one in SERVICES.values() if not dockerfile_of(one)}
    for file in BUILT:
        images |= set(re.findall(r"^FROM (\S+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE))
    images -= set(STAGES)
    assert [image for image in images if not EXACT.fullmatch(image.partition(":")[2])] == []
    assert {dockerfile_of(one) for one in SERVICES.values()} - {None} == BUILT


def test_the_image_of_the_proxy_holds_what_the_repository_has():
    named = re.findall(r"^COPY (\S+)", (ROOT / "deploy/proxy.Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert named == ["deploy/Caddyfile"]
    assert "reverse_proxy web:8000" in (ROOT / named[0]).read_text(encoding="utf-8")


def test_a_proxy_takes_uploads_where_the_site_does():
    text = (ROOT / "deploy/Caddyfile").read_text("utf-8")
    rules = re.findall(r"^\t@(?:uploads|others not) path (.*)$", text, re.MULTILINE)
    assert [sorted(rule.split()) for rule in rules] == [sorted(taking_files(get_resolver()))] * 2


def test_the_proxy_passes_metrics_on_and_keeps_health_inside():
    """Prometheus comes through the proxy, by https; the site itself is closed to whoever has no token."""
    rules = re.findall(
        r"^\t@inside path (.*)$", (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert rules == ["/health/*"]


@pytest.mark.parametrize("name", SERVICES)
def test_secrets_stand_in_files_alone(name):
    variables = SERVICES[name].get("environment", {})
    files = {value for key, value in variables.items() if key.endswith("_FILE")}
    assert files <= {f"/run/secrets/{secret}" for secret in SERVICES[name].get("secrets", [])}
    assert [key for key in variables if re.search("KEY|PASS|TOKEN", key) and not key.endswith("_FILE")] == []
    assert not re.search(r"://\w+:", " ".join(map(str, variables.values())))


def test_the_secrets_are_those_that_make_makes():
    (made,) = re.findall(r"for name in ([a-z_ ]+); do", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert sorted(COMPOSE["secrets"]) == sorted(made.split())
    assert "/secrets/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert "secrets" in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()


def test_the_site_is_told_nothing_that_it_does_not_know():
    known = {one.env for one in SETTINGS} | {f"{one.env}_FILE" for one in SETTINGS} | OTHERS
    told = {name for one in SERVICES.values() for name in one.get("environment", {})}
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    written = set(re.findall(r"^(?:# )?([A-Z_]+)=", example, re.MULTILINE))
    asked = set(re.findall(r"\$\{([A-Z_]+)", TEXT))
    assert told - known == set()
    assert asked - written == set()
    assert written - asked - known - {"COMPOSE_PROFILES"} == set()


def test_the_worker_with_a_gpu_is_offered_together_with_the_setting_that_sends_it_work():
    (queues,) = re.findall(r"--queues (\S+)", SERVICES["worker-gpu"]["command"])
    assert (SERVICES["worker-gpu"]["profiles"], queues) == (["gpu"], "gpu")
    example = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    profiles = example.index("# COMPOSE_PROFILES=gpu,llm")
    assert example[profiles + 2] == f"# CONCORD_SHARD_QUEUES={queues}"
    guide = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    assert f"The profile `gpu` goes with `CONCORD_SHARD_QUEUES={queues}`" in guide


def test_the_site_reaches_database_and_broker_with_the_passwords_of_the_files(tmp_path):
    told = {name: str(value) for name, value in SERVICES["web"]["environment"].items()}
    for name in COMPOSE["secrets"]:
        (tmp_path / name).write_text(f"{name}-of-a-file\n", encoding="utf-8")
    environ = {name: value.replace("/run/secrets", str(tmp_path)) for name, value in told.items()}
    values = read_settings(environ)
    database = base.database(values["DATABASE_URL"], values["DATABASE_PASSWORD"])
    assert (database["HOST"], database["USER"], database["PASSWORD"]) == (
        "postgres",
        "concord",
        "postgres_password-of-a-file",
    )
    broker = with_password(values["CELERY_BROKER_URL"], values["CELERY_BROKER_PASSWORD"])
    assert broker == "amqp://concord:rabbitmq_password-of-a-file@rabbitmq:5672//"
    assert (values["CONCORD_HTTPS"], values["CONCORD_BEHIND_PROXY"]) == (True, True)


def test_only_the_proxy_is_reached_from_outside():
    assert [name for name, one in SERVICES.items() if "ports" in one] == ["proxy"]
    inside = {name for name, one in SERVICES.items() if one.get("networks") == ["inside"]}
    assert inside == {"postgres", "rabbitmq"}
    assert COMPOSE["networks"] == {"inside": {"internal": True}}


def test_each_queue_has_a_worker_in_containers_and_by_hand():
    workers = {name: one["command"] for name, one in SERVICES.items() if name.startswith("worker")}
    units = {
        path.name: path.read_text(encoding="utf-8")
        for path in (ROOT / "docs/systemd").glob("concord-worker*.service")
    }
    assert len(workers) == len(units) == 3
    served = sorted(queue for command in workers.values() for queue in queues_of(command))
    assert served == ["celery", "cpu", "gpu", "llm"]
    assert sorted(queue for unit in units.values() for queue in queues_of(unit)) == served
    named = sorted(re.search(r" -n (\w+)@%%h$", unit, re.MULTILINE)[1] for unit in units.values())
    assert named == ["cpu", "gpu", "llm"]  # two workers of one name are one row of the status page
    assert [one for one in (*workers.values(), *units.values()) if "solo" in one] == []
    assert {queue.name for queue in settings.CELERY_TASK_QUEUES} <= set(served)


def test_celery_reaches_the_broker_with_the_password_of_its_file(tmp_path):
    """Celery reads CELERY_BROKER_URL itself, and what it finds there goes before the setting of that name."""
    (tmp_path / "password").write_text("of-a-file\n", encoding="utf-8")
    told = {
        **{name: text for name, text in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
        **{"CELERY_BROKER_URL": SERVICES["web"]["environment"]["CELERY_BROKER_URL"]},
        **{
            "CELERY_BROKER_PASSWORD_FILE": str(tmp_path / "password"),
            "CONCORD_DATA_DIR": str(tmp_path / "data"),
        },
    }
    code = (
        "from survey_site.celery import app; "
        "print(app.connection_for_read().password, app.connection_for_write().password)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=told, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "of-a-file of-a-file\n"


def test_the_database_is_asked_for_by_tcp():
    """The server that makes the database the first time listens on a socket alone, and then ends."""
    test = SERVICES["postgres"]["healthcheck"]["test"]
    assert test[test.index("-h") + 1] == "127.0.0.1"


@pytest.mark.parametrize("name", SERVICES)
def test_memory_that_serves_as_a_folder_is_one_that_all_may_write_to_in_every_image(name):
    """Earlier engines give it the rights of the image's folder and leave it to root, whatever `mode` says."""
    folders = {one.partition(":")[0] for one in SERVICES[name].get("tmpfs", [])}
    assert folders <= {"/tmp", "/var/run/postgresql"}  # noqa: S108 - in containers


def test_images_hold_nothing_that_git_leaves_out():
    """Caches of tools and the virtual environment would make them large, and secrets would be read."""
    left_out = set((ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines())
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {line.strip("/") for line in lines} - {one.removeprefix("**/") for one in left_out} == set()


@pytest.mark.parametrize("name", [name for name, one in SERVICES.items() if target_of(one)])
def test_models_and_word_lists_are_kept_where_the_site_may_write(name, monkeypatch):
    told = SERVICES[name]["environment"]
    monkeypatch.setenv("CONCORD_DATA", told.get("CONCORD_DATA", ""))
    for folder in (data_folder(), Path(told["HF_HOME"])):
        assert folder.is_relative_to(told["CONCORD_DATA_DIR"])
    assert f"data:{told['CONCORD_DATA_DIR']}" in SERVICES[name]["volumes"]


def test_workers_compute_with_one_thread_a_process_in_containers_and_by_hand():
    """Else each process has a thread for every processor of the machine, however few it may use."""
    for path in (ROOT / "docs/systemd").glob("concord-worker*.service"):
        assert "OMP_NUM_THREADS=1" in path.read_text(encoding="utf-8")
    workers = [one for name, one in SERVICES.items() if name.startswith("worker")]
    assert {one["environment"].get("OMP_NUM_THREADS") for one in workers} == {"1"}
