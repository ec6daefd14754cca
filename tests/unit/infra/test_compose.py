"""The compose file starts what there is, under settings that are read the way it means them."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from dashboards.commands.tree import load_command
from streams.process.settings import ENV_PREFIX, Settings, load_settings
from tests.support.source_tree import ROOT

PATH = ROOT / "infra" / "compose.yaml"
COMPOSE: dict[str, Any] = yaml.safe_load(PATH.read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = {name: one for name, one in SERVICES.items() if one["image"] == "ladderman"}


def resolved(value: str) -> str:
    """Give a value as compose does where only variables without a default are set."""
    value = re.sub(r"\$\{(\w+):\?[^}]*\}", r"chosen-\1", value)
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", value)


def test_no_password_has_a_default() -> None:
    environments = [one.get("environment", {}) for one in SERVICES.values()]
    found = [value for one in environments for name, value in one.items() if "PASSWORD" in name]
    assert found
    assert all(re.fullmatch(r"\$\{\w+:\?[^}]+\}", value) for value in found)


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name, value in OWN["worker"]["environment"].items():
        monkeypatch.setenv(name, resolved(value))
    return load_settings(environment={})


def test_every_variable_of_ours_is_a_setting(settings: Settings) -> None:
    for name in OWN["worker"]["environment"]:
        section, _, key = name.removeprefix(ENV_PREFIX).lower().partition("_")
        assert key in type(getattr(settings, section)).model_fields, name
    assert {frozenset(one["environment"].items()) for one in OWN.values()} == {
        frozenset(OWN["worker"]["environment"].items())
    }


def test_processes_reach_the_kafka_that_is_started(settings: Settings) -> None:
    listeners = SERVICES["kafka"]["environment"]["KAFKA_ADVERTISED_LISTENERS"]
    assert f"PLAINTEXT://{settings.kafka.bootstrap}" in listeners.split(",")
    assert settings.kafka.dev
    assert settings.kafka.replication == 1


def test_it_is_the_kafka_of_the_tests() -> None:
    pom = (ROOT / "infra" / "kafka" / "pom.xml").read_text(encoding="utf-8")
    version = re.search(r"<artifactId>kafka_2\.13</artifactId>\s*<version>([^<]+)<", pom)
    assert version is not None
    assert SERVICES["kafka"]["image"] == f"apache/kafka:{version[1]}"


def test_processes_reach_the_clickhouse_that_is_started(settings: Settings) -> None:
    server, ours = SERVICES["clickhouse"]["environment"], settings.clickhouse
    assert settings.history.store == "clickhouse"
    assert ours.host in SERVICES
    assert (ours.user, ours.database) == (server["CLICKHOUSE_USER"], server["CLICKHOUSE_DB"])
    assert ours.password.get_secret_value() == resolved(server["CLICKHOUSE_PASSWORD"])
    assert f"127.0.0.1:{ours.port}:{ours.port}" in SERVICES["clickhouse"]["ports"]


def test_prometheus_asks_where_processes_answer(settings: Settings) -> None:
    scrape = yaml.safe_load(COMPOSE["configs"]["prometheus"]["content"])["scrape_configs"]
    asked = {one["names"][0]: one["port"] for job in scrape for one in job["dns_sd_configs"]}
    assert asked == {
        name: getattr(settings.listen, f"{name}_port") for name in OWN if name != "topics"
    }
    assert settings.listen.host == "0.0.0.0"


@pytest.mark.parametrize("name", OWN)
def test_every_command_is_one_of_ours(name: str) -> None:
    first, *rest = OWN[name]["command"]
    command = load_command(first)
    if hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    known = {flag for parameter in command.params for flag in parameter.opts}
    assert set(rest) <= known


def test_ports_are_open_on_this_machine_only() -> None:
    ports = [port for one in SERVICES.values() for port in one.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_image_has_its_version() -> None:
    others = [one["image"] for name, one in SERVICES.items() if name not in OWN]
    assert [image for image in others if not re.search(r":v?[0-9]+\.[0-9]+", image)] == []


def test_processes_wait_for_what_they_need() -> None:
    for name, one in OWN.items():
        for needed in one["depends_on"]:
            assert needed in SERVICES
        assert name == "topics" or "topics" in one["depends_on"]
