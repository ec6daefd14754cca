"""The registry of steps: which function folds the events of a class.

A step stands where what it changes is known, and says beside its name which events it folds. The
fold refuses to start while an event that a table sends has none: it would be lost in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Final, TypeVar

from schemas.events import EVENT_TYPES, EventBase, SentBy, tag_of

_Step = TypeVar("_Step", bound=Callable[..., None])

_STEPS: Final[dict[str, Callable[..., None]]] = {}


def folds(*event_classes: type[EventBase]) -> Callable[[_Step], _Step]:
    """Register a function as the step that folds the events of some classes.

    Args:
        event_classes: The classes; each has one step.
    """

    def register(step: _Step) -> _Step:
        for event_class in event_classes:
            tag = tag_of(event_class)
            assert tag not in _STEPS, f"{tag} has two steps"
            _STEPS[tag] = step
        return step

    return register


def step_of(tag: str) -> Callable[..., None] | None:
    """Give the step of the events with a wire tag; None where they do nothing to a table."""
    return _STEPS.get(tag)


def check_complete(*modules: ModuleType) -> None:
    """Check that every event of a table has a step, once all modules with steps are imported.

    Args:
        modules: Modules with steps; naming them here imports them.

    Raises:
        LookupError: Events would be passed over.
    """
    without = [
        tag
        for tag, event_class in EVENT_TYPES.items()
        if event_class.sent_by is not SentBy.CONTROLLER and tag not in _STEPS
    ]
    if without:
        names = ", ".join(one.__name__ for one in modules)
        raise LookupError(f"no step folds {', '.join(without)}; steps stand in {names}")
