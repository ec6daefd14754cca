"""The settings of everything that runs: what can be set, where, and to what.

A setting comes from the environment (``LADDERMAN_KAFKA_BOOTSTRAP``), else from a TOML file
(``bootstrap`` in ``[kafka]``), else from its default. Secrets never appear in anything written.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import SettingsError as _SourceError

from streams.process.settings_errors import (
    FILE_VARIABLE,
    SettingsError,
    refused_line,
    unknown_variable,
)
from streams.process.video_links import VideoLinks, template_problem

ENV_PREFIX: Final = "LADDERMAN_"
DEFAULT_FILE: Final = Path("ladderman.toml")

_HOST_PORT: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([0-9]{1,5})")
_PREFIX: Final = r"[a-z][a-z0-9-]{0,62}"

Port = Annotated[int, Field(ge=1, le=65535)]
Seconds = Annotated[float, Field(gt=0, le=3600)]


def _one_text(value: object) -> object:
    """Take a list of addresses as the text with commas that the environment holds."""
    if isinstance(value, list) and all(isinstance(address, str) for address in value):
        return ",".join(value)
    return value


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.lower() in ("true", "1", "yes", "on"))


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class KafkaSettings(_Section):
    """How Kafka is reached and how its topics are made."""

    bootstrap: Annotated[str, BeforeValidator(_one_text)] = "127.0.0.1:9092"
    """Where clients begin: ``host:port``, several by commas."""
    prefix: Annotated[str, Field(pattern=rf"^{_PREFIX}$")] = "ladderman"
    """What names of topics and groups begin with. Another prefix is another set of topics."""
    partitions: Annotated[int, Field(ge=1, le=1000)] = 12
    """Partitions of every topic; never changes under one prefix."""
    replication: Annotated[int, Field(ge=1, le=7)] = 3
    """Copies of every partition; 1 where ``dev`` is set and nothing else is said."""
    dev: bool = False
    """One broker for development: a lost disk loses events."""
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] | None = None
    sasl_username: str | None = None
    sasl_password: SecretStr | None = None
    tls: bool = False
    tls_ca_file: Path | None = None
    """Certificates that are trusted, PEM; None for those that the system trusts."""
    tls_certificate_file: Path | None = None
    """Own certificate, PEM, where brokers ask for one."""
    tls_key_file: Path | None = None
    tls_key_password: SecretStr | None = None
    tls_check_hostname: bool = True
    session_timeout_s: Annotated[float, Field(ge=6, le=300)] = 15.0
    """A worker that is silent for so long loses its partitions to others."""
    heartbeat_s: Seconds = 3.0
    request_timeout_s: Annotated[float, Field(ge=5, le=600)] = 30.0
    commit_every_s: Seconds = 1.0
    """How often the framework commits; nothing depends on what it commits."""
    stop_limit_s: Seconds = 20.0
    """A worker that has not stopped after so long is stopped by force."""

    @field_validator("bootstrap")
    @classmethod
    def _are_addresses(cls, value: str) -> str:
        for word in value.split(","):
            match = _HOST_PORT.fullmatch(word.strip())
            if match is None or not 1 <= int(match[1]) <= 65535:
                raise ValueError('write host:port, several by commas, such as "kafka-1:9092"')
        return ",".join(word.strip() for word in value.split(","))

    @model_validator(mode="before")
    @classmethod
    def _one_copy_in_development(cls, values: object) -> object:
        if isinstance(values, dict) and "replication" not in values and _is_true(values.get("dev")):
            return {**values, "replication": 1}
        return values

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.replication < 3 and not self.dev:
            raise ValueError(
                f"replication {self.replication} loses events with one broker; "
                "set replication to 3, or dev to true where that does not matter"
            )
        if self.sasl_mechanism and not (self.sasl_username and self.sasl_password):
            raise ValueError("sasl_mechanism needs sasl_username and sasl_password")
        if (self.sasl_username or self.sasl_password) and not self.sasl_mechanism:
            raise ValueError(
                "sasl_username and sasl_password need sasl_mechanism: "
                "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"
            )
        files = (self.tls_ca_file, self.tls_certificate_file, self.tls_key_file)
        if any(files) and not self.tls:
            raise ValueError("tls_ca_file, tls_certificate_file and tls_key_file need tls = true")
        if bool(self.tls_certificate_file) != bool(self.tls_key_file):
            raise ValueError("tls_certificate_file and tls_key_file are given together")
        if self.heartbeat_s * 3 > self.session_timeout_s:
            raise ValueError("heartbeat_s is at most a third of session_timeout_s")
        return self

    @property
    def servers(self) -> list[str]:
        """The addresses one by one."""
        return self.bootstrap.split(",")

    @property
    def min_insync(self) -> int:
        """Copies that must have a message before it is acknowledged."""
        return max(1, self.replication - 1)

    @property
    def security_protocol(self) -> str:
        """The name that Kafka has for this mixture of TLS and SASL."""
        if self.sasl_mechanism:
            return "SASL_SSL" if self.tls else "SASL_PLAINTEXT"
        return "SSL" if self.tls else "PLAINTEXT"


class HistorySettings(_Section):
    """Where the history is kept and how long."""

    store: Literal["embedded", "clickhouse"] = "embedded"
    """``embedded`` is a directory of one machine, ``clickhouse`` a server."""
    retention_years: Annotated[int, Field(ge=5, le=100)] = 7


class ClickHouseSettings(_Section):
    """How the ClickHouse server is reached, where the history is kept on one."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Port = 9000
    """Of the native protocol."""
    database: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = "ladderman"
    user: str = "default"
    password: SecretStr = SecretStr("")
    tls: bool = False
    tls_ca_file: Path | None = None
    tls_check_hostname: bool = True
    connect_timeout_s: Seconds = 5.0
    send_receive_timeout_s: Seconds = 20.0
    sync_request_timeout_s: Seconds = 5.0


class DataSettings(_Section):
    """Where files are kept on this machine."""

    directory: Path = Path(".ladderman")
    spool: Path | None = None
    """None for ``spool`` below the directory."""
    history: Path | None = None
    """None for ``history`` below the directory."""

    @property
    def spool_directory(self) -> Path:
        """Where events of devices stand until they were heard."""
        return self.spool or self.directory / "spool"

    @property
    def history_directory(self) -> Path:
        """Where the embedded history is."""
        return self.history or self.directory / "history"


class ListenSettings(_Section):
    """Where processes tell about themselves: metrics and health; loopback unless said."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    console_port: Port = 8080
    worker_port: Port = 9101
    """Of the first worker of a machine; further ones are told another."""
    sink_port: Port = 9102
    reconcile_port: Port = 9103
    publish_port: Port = 9104


class VideoSettings(_Section):
    """How links to recordings are made; what a device says never decides that."""

    link: str | None = None
    """Template of a link, https only; braces name what is put in, such as
    ``https://video.example/play?camera={camera}&from={from}``. None for no links."""
    lead_s: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """A link begins so much earlier than what it shows."""
    clock_offsets_ms: dict[str, Annotated[int, Field(ge=-86_400_000, le=86_400_000)]] = {}
    """Camera to the milliseconds that are added to the time of its recordings to get true time."""

    @field_validator("link")
    @classmethod
    def _is_template(cls, value: str | None) -> str | None:
        if value is not None and (problem := template_problem(value)):
            raise ValueError(problem)
        return value

    @property
    def links(self) -> VideoLinks | None:
        """How links are made; None where no template is set."""
        if self.link is None:
            return None
        offsets = {camera: offset_ms * 1_000 for camera, offset_ms in self.clock_offsets_ms.items()}
        return VideoLinks(self.link, round(self.lead_s * 1_000_000), offsets)


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="_",
        env_nested_max_split=1,
        env_ignore_empty=True,  # an empty variable is how a compose file says "not set"
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    kafka: KafkaSettings = KafkaSettings()
    history: HistorySettings = HistorySettings()
    clickhouse: ClickHouseSettings = ClickHouseSettings()
    data: DataSettings = DataSettings()
    listen: ListenSettings = ListenSettings()
    video: VideoSettings = VideoSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file, which comes as arguments; nothing else counts."""
        return env_settings, init_settings


def load_settings(
    path: Path | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings.

    Args:
        path: The file; None for the one that ``LADDERMAN_SETTINGS`` names, else
            ``ladderman.toml`` where it exists.
        environment: Where ``LADDERMAN_SETTINGS`` and unknown variables are looked for; None for
            the process's own, which values always come from.

    Raises:
        SettingsError: One line: file or variable, key, and what it may be.
    """
    variables = os.environ if environment is None else environment
    source = path or _named_file(variables)
    if problem := unknown_variable(variables, Settings):
        raise SettingsError(problem)
    content: dict[str, Any] = _read(source) if source else {}
    if hidden := next((key for key in content if key.startswith("_")), None):
        raise SettingsError(
            f"{source}: {hidden}: no such section"
        )  # it means something to pydantic
    try:
        return Settings(**content)
    except ValidationError as error:
        raise SettingsError(refused_line(error, variables, source, Settings)) from None
    except _SourceError as error:
        section = re.search(r'field "(\w+)"', str(error))
        name = f"{ENV_PREFIX}{section[1].upper()}" if section else f"a {ENV_PREFIX} variable"
        raise SettingsError(
            f"{name} cannot be read; set one variable for each key instead"
        ) from None


def _named_file(variables: Mapping[str, str]) -> Path | None:
    if named := variables.get(FILE_VARIABLE):
        return Path(named)
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def _read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        hint = f"; {FILE_VARIABLE} names it" if str(path) == os.environ.get(FILE_VARIABLE) else ""
        raise SettingsError(f"{path}: no such file{hint}") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        # The text of the error names line and column, never what stands there.
        raise SettingsError(f"{path} is not TOML: {error}") from None


def described(settings: Settings) -> Iterator[tuple[str, str]]:
    """Give every key with its value in words; of a secret only whether it is set."""
    for section, content in settings:
        for key, value in content:
            yield f"{section}.{key}", _in_words(value)


def _in_words(value: object) -> str:
    if isinstance(value, SecretStr):
        return "set" if value.get_secret_value() else "not set"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "not set" if value is None else str(value)
