"""The demo through Kafka with a small floor, as a process: ``… demo_child LOGS [STORE]``.

Without a store the history is where the settings of the environment name a server.
"""

from __future__ import annotations

import sys
from pathlib import Path

from dashboards.demo.kafka import play_through_kafka
from dashboards.demo.screen import DemoPlan, console_script
from dashboards.errors import CommandProblem
from streams.development.stream_processes import StreamPlan
from streams.process.settings import load_settings
from streams.simulator.floor import FloorConfig
from streams.simulator.placing import PlantRequest

PLANTS = ("banker_overpaid", "wager_late", "winner_misannounced", "event_lost")

PLAN = DemoPlan(
    FloorConfig(tables=4, seed=7, plants=tuple(PlantRequest(name, coup=3) for name in PLANTS)),
    seed=7,
    speed=200,
    is_watched=True,
    compare_after_s=5.0,
)


def main() -> int:
    """Play until Ctrl-C."""
    logs, store = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
    stream_plan = StreamPlan(console_script(), logs, store, partitions=2, settings=load_settings())
    try:
        return int(play_through_kafka(PLAN, store, stream_plan))
    except CommandProblem as problem:
        print(problem, file=sys.stderr)
        return int(problem.exit_code)


if __name__ == "__main__":
    sys.exit(main())
