"""Settings come from environment, file and default in this order; what is wrong is one line."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from streams.process.settings import KafkaSettings, Settings, described, load_settings
from streams.process.settings_errors import SettingsError

SECRET = "open-sesame"
Load = Callable[..., Settings]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Load settings from the text of a file and some variables, nothing else."""
    for name in os.environ:
        if name.startswith("LADDERMAN_"):
            monkeypatch.delenv(name)

    def load_text(text: str = "", **variables: str) -> Settings:
        for name, value in variables.items():
            monkeypatch.setenv(f"LADDERMAN_{name}", value)
        path = tmp_path / "ladderman.toml"
        path.write_text(text)
        return load_settings(path)

    return load_text


def problem(load: Load, text: str = "", **variables: str) -> str:
    with pytest.raises(SettingsError) as raised:
        load(text, **variables)
    line = str(raised.value)
    assert "\n" not in line
    return line[line.find("ladderman.toml") :] if "ladderman.toml" in line else line


def test_without_anything_said_the_defaults_are_safe(load: Load) -> None:
    kafka = load().kafka
    assert (kafka.replication, kafka.min_insync, kafka.dev) == (3, 2, False)
    assert kafka.security_protocol == "PLAINTEXT"
    assert load().listen.host == "127.0.0.1"
    assert load().history.retention_years == 7


def test_the_file_wins_over_the_default_and_the_environment_over_the_file(load: Load) -> None:
    text = '[kafka]\nbootstrap = "a:1"\nprefix = "floor"\n[clickhouse]\nport = 9440'
    settings = load(text, KAFKA_BOOTSTRAP="b:2", CLICKHOUSE_USER="auditor")
    assert settings.kafka.bootstrap == "b:2"
    assert settings.kafka.prefix == "floor"
    assert settings.kafka.partitions == 12
    assert settings.clickhouse.port == 9440
    assert settings.clickhouse.user == "auditor"


def test_an_empty_variable_says_nothing(load: Load) -> None:
    assert load('[kafka]\nprefix = "floor"', KAFKA_PREFIX="").kafka.prefix == "floor"


def test_addresses_may_be_a_list_in_the_file_and_stand_by_commas_in_the_environment(
    load: Load,
) -> None:
    text = '[kafka]\nbootstrap = ["a:1", "b:2"]'
    assert load(text).kafka.servers == ["a:1", "b:2"]
    assert load(text, KAFKA_BOOTSTRAP="c:3, [::1]:4").kafka.servers == ["c:3", "[::1]:4"]


def test_the_file_is_found_by_argument_then_variable_then_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings(environment={}).kafka.prefix == "ladderman"
    for name in ("ladderman", "named", "given"):
        (tmp_path / f"{name}.toml").write_text(f'[kafka]\nprefix = "by-{name}"')
    named = {"LADDERMAN_SETTINGS": str(tmp_path / "named.toml")}
    assert load_settings(environment={}).kafka.prefix == "by-ladderman"
    assert load_settings(environment=named).kafka.prefix == "by-named"
    assert load_settings(Path("given.toml"), named).kafka.prefix == "by-given"


def test_one_broker_is_enough_only_for_development(load: Load) -> None:
    assert load("[kafka]\ndev = true").kafka.replication == 1
    assert load(KAFKA_DEV="true").kafka.min_insync == 1
    assert load(KAFKA_DEV="true", KAFKA_REPLICATION="3").kafka.min_insync == 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[kafka]\nbootstrp = "a:1"', "kafka.bootstrp: no such key; did you mean bootstrap?"),
        ('bootstrap = "a:1"', "bootstrap: no such section; as a key it stands below [kafka]"),
        ("[kafak]\npartitions = 3", "kafak: no such section; did you mean kafka?"),
        ('_env_file = "x"', "_env_file: no such section"),
        ("kafka = 3", "kafka: is a section; write its keys below it"),
        ('[kafka]\npartitions = "many"', "kafka.partitions: write a whole number"),
        ("[kafka]\npartitions = 0", "kafka.partitions: must be at least 1"),
        ('[kafka]\nbootstrap = "kafka"', "kafka.bootstrap: write host:port, several by commas, "),
        ('[kafka]\nbootstrap = "kafka:0"', "kafka.bootstrap: write host:port, several by commas, "),
        ("[kafka]\nreplication = 2", "kafka: replication 2 loses events with one broker; set rep"),
        (
            '[kafka]\nsasl_mechanism = "SCRAM"',
            "kafka.sasl_mechanism: write PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512",
        ),
        ('[kafka]\nsasl_mechanism = "PLAIN"', "kafka: sasl_mechanism needs sasl_username and sasl"),
        ('[kafka]\ntls_ca_file = "ca.pem"', "kafka: tls_ca_file, tls_certificate_file and tls_key"),
        (
            '[kafka]\ntls = true\ntls_key_file = "key.pem"',
            "kafka: tls_certificate_file and tls_key_file are given together",
        ),
        ("[kafka]\nheartbeat_s = 6", "kafka: heartbeat_s is at most a third of session_timeout_s"),
        ("[history]\nretention_years = 4", "history.retention_years: must be at least 5"),
        ('[history]\nstore = "files"', "history.store: write embedded or clickhouse"),
        ("[clickhouse]\nport = 99999", "clickhouse.port: must be at most 65535"),
    ],
)
def test_what_is_wrong_in_the_file_is_one_line(load: Load, text: str, line: str) -> None:
    assert problem(load, text).startswith(f"ladderman.toml: {line}")


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("KAFKA_BOOTSTRP", "a:1", "no such setting; did you mean LADDERMAN_KAFKA_BOOTSTRAP?"),
        ("KAFK_BOOTSTRAP", "a:1", "no such setting; did you mean LADDERMAN_KAFKA_BOOTSTRAP?"),
        ("BOOTSTRAP", "a:1", "no such setting; did you mean LADDERMAN_KAFKA_BOOTSTRAP?"),
        ("SETTNGS", "a.toml", "no such setting; did you mean LADDERMAN_SETTINGS?"),
        ("KAFKA_PARTITIONS", "many", "write a whole number"),
        ("KAFKA_DEV", "perhaps", "write true or false"),
    ],
)
def test_what_is_wrong_in_the_environment_names_the_variable(
    load: Load, name: str, value: str, line: str
) -> None:
    assert problem(load, **{name: value}) == f"LADDERMAN_{name}: {line}"


def test_a_wrong_variable_is_named_also_where_the_file_says_the_same_key(load: Load) -> None:
    line = problem(load, "[kafka]\npartitions = 3", KAFKA_PARTITIONS="0")
    assert line == "LADDERMAN_KAFKA_PARTITIONS: must be at least 1"


def test_variables_of_other_things_are_no_business_of_the_settings(load: Load) -> None:
    others = {"ROUNDS": "/rounds", "WRITE_GOLDENS": "1", "PORT": "tcp://10.0.0.1:80"}
    assert load(**others, SERVICE_HOST="10.0.0.1").kafka.partitions == 12


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"[kafka", "is not TOML: "),
        (b"\xff\xfe", "is not UTF-8 text"),
        (None, "no such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(
    tmp_path: Path, content: bytes | None, line: str
) -> None:
    path = tmp_path / "s.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError, match=line) as raised:
        load_settings(path, {})
    assert str(raised.value).startswith(str(path))


def test_a_secret_is_in_nothing_that_is_written(load: Load) -> None:
    settings = load(
        f'[clickhouse]\npassword = "{SECRET}"',
        KAFKA_SASL_MECHANISM="SCRAM-SHA-256",
        KAFKA_SASL_USERNAME="worker",
        KAFKA_SASL_PASSWORD=SECRET,
    )
    assert settings.kafka.sasl_password is not None
    assert settings.kafka.sasl_password.get_secret_value() == SECRET
    words = dict(described(settings))
    assert words["kafka.sasl_password"] == words["clickhouse.password"] == "set"
    assert words["kafka.tls_key_password"] == "not set"
    assert words["kafka.sasl_username"] == "worker"
    assert SECRET not in repr(settings) + str(settings) + str(words) + settings.model_dump_json()


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        (f'[kafka]\nsasl_password = "{SECRET}"', {}),
        (f'[kafka]\nsasl_password = ["{SECRET}"]', {}),
        (f'[kafka]\nsasl_pasword = "{SECRET}"', {}),
        (f"[kafka]\nsasl_password = {SECRET}", {}),
        (f'[clickhouse]\npassword = "{SECRET}"\nport = 0', {}),
        ("", {"KAFKA_SASL_PASSWORD": SECRET}),
        ("", {"KAFKA_SASL_PASWORD": SECRET}),
        ("", {"KAFKA": SECRET}),
        ("", {"KAFKA": f'{{"sasl_password": ["{SECRET}"]}}'}),
        ("", {"KAFK_SASL_PASSWORD": SECRET}),
    ],
)
def test_a_secret_is_in_no_error(load: Load, text: str, variables: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as raised:
        load(text, **variables)
    printed = traceback.format_exception(raised.value)
    assert SECRET not in repr(raised.value) + "".join(printed[-1:])
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_directories_lie_below_one_unless_said(load: Load) -> None:
    data = load('[data]\ndirectory = "/var/l"\nhistory = "/disk/h"').data
    assert data.spool_directory == Path("/var/l/spool")
    assert data.history_directory == Path("/disk/h")


@pytest.mark.parametrize(
    ("mechanism", "tls", "protocol"),
    [
        (None, False, "PLAINTEXT"),
        (None, True, "SSL"),
        ("PLAIN", False, "SASL_PLAINTEXT"),
        ("SCRAM-SHA-512", True, "SASL_SSL"),
    ],
)
def test_the_protocol_follows_from_tls_and_sasl(
    mechanism: str | None, tls: bool, protocol: str
) -> None:
    user = {"sasl_username": "u", "sasl_password": "p"} if mechanism else {}
    settings = KafkaSettings.model_validate({"sasl_mechanism": mechanism, "tls": tls, **user})
    assert settings.security_protocol == protocol


def test_links_to_recordings_are_made_only_where_a_template_is_set(load: Load) -> None:
    assert load().video.links is None
    text = (
        '[video]\nlink = "https://v.example/{camera}?t={from}"\nlead_s = 2.5\n'
        "[video.clock_offsets_ms]\nCAM-118 = -120"
    )
    links = load(text).video.links
    assert links is not None
    assert (links.template, links.lead_us) == ("https://v.example/{camera}?t={from}", 2_500_000)
    assert links.clock_offsets_us == {"CAM-118": -120_000}


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ('link = "http://v.example/{camera}"', "a link begins with https://"),
        ('link = "https://v.example/{patron}"', "braces hold one of camera, recording"),
        ("lead_s = -1", ""),
        ('clock_offsets_ms = { "C1" = 90000000 }', ""),
    ],
)
def test_a_setting_of_links_that_cannot_be_is_one_line(load: Load, key: str, said: str) -> None:
    line = problem(load, f"[video]\n{key}")
    assert "video." in line
    assert said in line
