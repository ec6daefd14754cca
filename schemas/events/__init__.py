"""Events: what devices say, every event with its fields, and the union of them all.

Each module says in its ``__all__`` what is exported here.
"""

from schemas.events.capabilities import *
