"""A ClickHouse server for tests: the real engine behind the real protocol, on loopback.

Never a part of the product. chDB is the engine; it runs in a process of its own, which can be
stopped, killed and started again on the same data.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from typing import Final

from clickhouse_driver import Client, defines

REVISION: Final = defines.DBMS_MIN_PROTOCOL_VERSION_WITH_PARAMETERS
"""The oldest revision whose queries carry parameters: servers since 22.8 have it."""

REVISION_WITHOUT_PARAMETERS: Final = 54200
"""A server of 2018."""

_ROOT: Final = Path(__file__).resolve().parents[3]
_START_S: Final = 60.0


class ClickHouseServer:
    """One server on a data directory of its own; it keeps its port over restarts."""

    host: Final = "127.0.0.1"
    user: Final = "auditor"
    password: Final = "a word only they know"

    def __init__(
        self, data: Path, revision: int = REVISION, certificate: Path | None = None
    ) -> None:
        self._data = data
        self._certificate = certificate
        self._revision = revision
        self._process: subprocess.Popen[str] | None = None
        self.port = 0

    def start(self) -> ClickHouseServer:
        """Start it and wait until it listens."""
        assert self._process is None, "it is running"
        command = [
            sys.executable,
            "-m",
            "tests.support.history.clickhouse_server_main",
            str(self._data),
        ]
        command += ["--port", str(self.port), "--user", self.user]
        command += ["--revision", str(self._revision)]
        if self._certificate is not None:
            command += ["--certificate", str(self._certificate)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,
            env={**os.environ, "LOOPBACK_PASSWORD": self.password},
        )
        assert self._process.stdout is not None
        if not select([self._process.stdout], [], [], _START_S)[0]:
            self.kill()
            raise AssertionError("the loopback server did not start in time")
        said = self._process.stdout.readline()
        if not said:
            self.kill()
            raise AssertionError("the loopback server ended while starting; its reason is above")
        self.port = int(said)
        return self

    @property
    def is_running(self) -> bool:
        """Whether it was started and not ended since."""
        return self._process is not None

    def stop(self) -> None:
        """End it as an operator would, without harm to anything that was written."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._end()

    def kill(self) -> None:
        """End it as a power cut would end the process."""
        if self._process is not None:
            self._process.kill()
            self._end()

    def _end(self) -> None:
        assert self._process is not None
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()
        self._process = None

    def client(self, database: str = "") -> Client:
        """Give an ordinary client of the driver."""
        return Client(
            self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            database=database,
            connect_timeout=10,
            send_receive_timeout=60,
            settings={"server_side_params": True},
        )

    def rows(self, text: str, database: str = "") -> list[tuple[object, ...]]:
        """Ask over a connection of its own."""
        with self.client(database) as client:
            return client.execute(text)

    def create_database(self, name: str) -> str:
        """Make a database."""
        self.rows(f"CREATE DATABASE {name}")
        return name

    def wait_for(self, text: str, expected: object, database: str = "") -> None:
        """Ask until the one value of the answer is as expected."""
        limit = time.monotonic() + 30
        while (found := self.rows(text, database)[0][0]) != expected:
            assert time.monotonic() < limit, f"{text}: {found}, expected {expected}"
            time.sleep(0.02)


@contextmanager
def running_server(
    data: Path, revision: int = REVISION, certificate: Path | None = None
) -> Iterator[ClickHouseServer]:
    """Run a server for as long as the block lasts.

    Args:
        data: Folder for the engine alone.
        revision: What it can do.
        certificate: PEM file with certificate and key, where it is to speak TLS.
    """
    server = ClickHouseServer(data, revision, certificate)
    try:
        yield server.start()
    finally:
        server.stop()
