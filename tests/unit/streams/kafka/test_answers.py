"""Who looks at a broker that says nothing is told of waiting, and does not wait for ever."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaConnectionError, RequestTimedOutError

from streams.kafka import administration, answers
from streams.kafka.administration import unavailable_line
from streams.kafka.answers import Answers, NoAnswerError, telling, told
from streams.kafka.looking import LookingConsumer
from streams.kafka.passing_clients import unavailable
from streams.kafka.patience import Patience
from streams.process.settings import KafkaSettings, Settings
from streams.reconcile.running import Reconciler

AT = TopicPartition("events", 0)
SETTINGS = KafkaSettings(bootstrap="kafka-1:9092", dev=True)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tell after a moment, and give up after a little more."""
    monkeypatch.setattr(answers, "TELL_AFTER_S", 0.05)


def waiting(limit_s: float = 0.2) -> Answers:
    made = Answers(SETTINGS)
    made._limit_s = limit_s
    return made


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Somebody who accepts connections and does not answer, as a frozen broker does."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def for_ever() -> None:
    await asyncio.Event().wait()


def test_waiting_is_told_with_the_address_and_the_limit_and_then_ends() -> None:
    async def run() -> None:
        async with waiting().awaited():
            await for_ever()

    said: list[str] = []
    with telling(said.append), pytest.raises(NoAnswerError, match=r"no answer within 0\.2 s"):
        asyncio.run(run())
    assert said == ["waiting for Kafka at kafka-1:9092 to answer, for at most 0 s more"]


def test_nothing_is_told_of_an_answer_that_comes_soon() -> None:
    async def run() -> None:
        async with waiting().awaited():
            await asyncio.sleep(0)
        await asyncio.sleep(0.1)

    said: list[str] = []
    with telling(said.append):
        asyncio.run(run())
    assert said == []


def test_a_process_that_nobody_looks_at_tells_nothing() -> None:
    async def run() -> None:
        async with waiting().awaited():
            await for_ever()

    with pytest.raises(NoAnswerError):
        asyncio.run(run())


def test_it_is_not_told_again_while_what_was_said_still_holds() -> None:
    async def ask() -> None:
        for _ in range(3):
            async with waiting(10).awaited():
                await asyncio.sleep(0.08)

    said: list[str] = []
    with telling(said.append):
        asyncio.run(ask())
    assert len(said) == 1


def test_a_client_without_a_loop_is_told_of_too() -> None:
    said: list[str] = []
    with telling(said.append), told(SETTINGS, 8.0):
        time.sleep(0.15)
    assert said == ["waiting for Kafka at kafka-1:9092 to answer, for at most 8 s more"]
    with telling(said.append), told(SETTINGS, 8.0):
        pass
    time.sleep(0.1)
    assert len(said) == 1


def test_who_looks_once_stops_asking_a_place_that_does_not_answer() -> None:
    async def run() -> None:
        await Patience("events 0", lambda _: None, waiting()).ask(for_ever)

    with pytest.raises(NoAnswerError):
        asyncio.run(asyncio.wait_for(run(), 5))


def test_a_position_that_stands_below_a_known_end_is_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Asking for messages gives none and no error where a broker does not answer."""

    async def ends(*_: object) -> dict[TopicPartition, int]:
        return {AT: 9}

    async def reached(*_: object) -> int:
        return positions.pop(0) if len(positions) > 1 else positions[0]

    positions = [0, 3, 4]
    monkeypatch.setattr(AIOKafkaConsumer, "end_offsets", ends)
    monkeypatch.setattr(AIOKafkaConsumer, "position", reached)

    async def read(limit_s: float) -> int:
        consumer = LookingConsumer(SETTINGS)
        consumer._answers = waiting(limit_s)
        try:
            end = (await consumer.end_offsets([AT]))[AT]
            while (at := await consumer.position(AT)) < end:
                await asyncio.sleep(0.01)
            return at
        finally:
            await consumer.stop()

    said: list[str] = []
    with telling(said.append), pytest.raises(NoAnswerError):
        asyncio.run(asyncio.wait_for(read(0.2), 5))
    assert len(said) == 1
    positions[:] = [0, 0, 3, 9]
    assert asyncio.run(read(0.2)) == 9


def test_a_broker_that_takes_connections_and_is_silent_is_told_from_one_that_ends_them(
    silent_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(administration, "_PROBE_LIMIT_S", 0.2)
    settings = KafkaSettings(bootstrap=f"127.0.0.1:{silent_port}", dev=True)
    error = administration.KafkaConnectionError("gave up")
    assert "accepts connections and does not answer" in unavailable_line(settings, error)
    late = administration.RequestTimedOutError("after 9999 ms")
    assert "accepts connections and does not answer" in unavailable_line(settings, late)
    late_too = unavailable(settings, RequestTimedOutError("after 30000 ms"))
    assert "accepts connections and does not answer" in str(late_too)
    secure = settings.model_copy(update={"tls": True})
    assert "accepts connections and does not answer" in unavailable_line(secure, error)


def test_a_broker_that_ends_connections_is_not_said_to_be_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def end_them() -> None:
            connection, _ = server.accept()
            connection.close()

        ending = threading.Thread(target=end_them)
        ending.start()
        settings = KafkaSettings(bootstrap=f"127.0.0.1:{server.getsockname()[1]}", dev=True)
        line = unavailable_line(settings, administration.KafkaConnectionError("gave up"))
        ending.join()
    assert "it ends the connection" in line


def test_no_answer_is_one_line_without_names_of_code() -> None:
    line = str(unavailable(SETTINGS, NoAnswerError("no answer within 30 s")))
    assert line.startswith(
        "Kafka at kafka-1:9092 takes connections and does not answer: no answer within 30 s; "
    )
    assert "Error" not in line
    assert "Error" not in str(unavailable(SETTINGS, KafkaConnectionError("x")))


class SilentConsumer:
    """A consumer whose broker takes questions and does not answer them."""

    def assign(self, partitions: object) -> None:
        pass

    def pause(self, *partitions: object) -> None:
        pass

    async def beginning_offsets(self, partitions: object) -> None:
        await for_ever()


def test_a_reconciler_does_not_wait_for_ever_for_a_log_that_is_not_answered() -> None:
    kafka = SETTINGS.model_copy(update={"request_timeout_s": 0.2})
    settings = Settings().model_copy(update={"kafka": kafka})
    silent = SilentConsumer()
    clients = (silent, [silent], None)
    reconciler = Reconciler(settings, clients, None, "log")  # type: ignore[arg-type]
    with pytest.raises(NoAnswerError):
        asyncio.run(asyncio.wait_for(reconciler._logs[0].start_offset(), 5))
