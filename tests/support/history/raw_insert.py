"""What the rows of a stream cost to insert that are there already: the sink without the stream.

``python -m tests.support.history.raw_insert '{"store": …}'`` with the messages of the topics
pickled on standard input. Prints the seconds of time and of processor of the inserts alone.
"""

from __future__ import annotations

import pickle
import sys
import time
from pathlib import Path

import orjson
from aiokafka import TopicPartition

from streams.history.embedded.store import ChdbStore
from streams.sink.batches import Batch, SinkTopics


def main(store: Path) -> None:
    """Build all rows, then insert them against the clock."""
    given = pickle.load(sys.stdin.buffer)
    batch = Batch()
    topics = SinkTopics(*given["topics"])
    for message in given["messages"]:
        at = TopicPartition(message.topic, message.partition)
        batch.add(at, [message], topics, given["partitions"])
    inserts = list(batch.rows.inserts())
    with ChdbStore(store) as history:
        history.migrate()
        began, spent = time.monotonic(), time.process_time()
        rows = sum(history.insert(table, columns) for table, columns in inserts)
        answer = {
            "rows": rows,
            "taken_s": time.monotonic() - began,
            "spent_s": time.process_time() - spent,
        }
    print(orjson.dumps(answer).decode(), flush=True)


if __name__ == "__main__":
    main(Path(orjson.loads(sys.argv[1])["store"]))
