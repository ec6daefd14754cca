"""``make kafka``: a real broker for a person, in the foreground, until Ctrl-C."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time

from streams.development.kafka_cluster import KafkaCluster, KafkaStartError
from streams.development.kafka_configuration import ClusterOptions
from streams.development.kafka_jars import KafkaMissingError

UNAVAILABLE = 3


def main() -> int:
    """Run a cluster until it is interrupted, and leave nothing behind."""
    parser = argparse.ArgumentParser(prog="make kafka", description=__doc__)
    parser.add_argument("--brokers", type=int, default=1, choices=(1, 3), help="how many")
    options = ClusterOptions(brokers=parser.parse_args().brokers)
    logging.getLogger("kafka").setLevel(logging.CRITICAL)  # tries before it is ready are no news
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    began = time.monotonic()
    try:
        with KafkaCluster(options) as cluster:
            _say(f"Apache Kafka is ready after {time.monotonic() - began:.1f} s; Ctrl-C stops it.")
            _say(f"data and logs  {cluster.directory} (removed at the end)")
            _say(f"bootstrap      {cluster.bootstrap}")
            _say("in another terminal:")
            _say(f"  export LADDERMAN_KAFKA_BOOTSTRAP={cluster.bootstrap}")
            if options.brokers == 1:
                _say("  export LADDERMAN_KAFKA_DEV=true")
            _say("  ladderman topics create")
            return _watch(cluster)
    except KeyboardInterrupt:
        _say("stopped, nothing is left of it")
        return 0
    except (KafkaMissingError, KafkaStartError) as error:
        sys.stderr.write(f"make kafka: {error}\n")
        return UNAVAILABLE


def _watch(cluster: KafkaCluster) -> int:
    while all(broker.pid is not None for broker in cluster.brokers):
        time.sleep(0.5)
    ended = next(broker for broker in cluster.brokers if broker.pid is None)
    sys.stderr.write(f"make kafka: broker {ended.number} ended by itself:\n{ended.log_tail()}\n")
    return UNAVAILABLE


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
