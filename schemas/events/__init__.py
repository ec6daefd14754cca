"""Events: what devices say, every event with its fields, and the union of them all.

Each module says in its ``__all__`` what is exported here.
"""

from schemas.events.capabilities import *
from schemas.events.chips import *
from schemas.events.deal import *
from schemas.events.devices import *
from schemas.events.endings import *
from schemas.events.envelope import *
from schemas.events.feeds import *
from schemas.events.payments import *
from schemas.events.progressive import *
from schemas.events.progressive_control import *
from schemas.events.shoe import *
from schemas.events.table import *
from schemas.events.union import *
from schemas.events.wagers import *
