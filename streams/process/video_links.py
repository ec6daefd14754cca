"""Links to recordings, made from the template that the house has set and never by a device.

A device names a camera and a recording, and these go into the link as data: percent-encoded, below
the fixed host of the template. What does not have the form of an id gives no link at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, urlsplit

from auditors.clock import instant_of
from schemas.events.fields import ID_PATTERN
from schemas.records import VideoRow

TEMPLATE_MAX: Final = 1000
"""A template has at most so many characters."""

PLACES: Final = (
    "camera",
    "recording",
    "from",
    "until",
    "from_s",
    "until_s",
    "from_ms",
    "until_ms",
)
"""What a template may name in braces. Times are by the camera's clock, as UTC texts and as seconds
or milliseconds since 1970."""

_PLACE: Final = re.compile(r"\{([^{}]*)\}")
_ID: Final = re.compile(ID_PATTERN.removeprefix("^").removesuffix("$"))
_ALLOWED: Final = re.compile(r"[A-Za-z0-9._~:/?#@!$&'()*+,;=%{}\[\]-]+")
_SECOND_US: Final = 1_000_000
_MILLISECOND_US: Final = 1_000


@dataclass(frozen=True, slots=True)
class VideoLinks:
    """How the house makes links to recordings."""

    template: str
    """An address with places in braces, free of :func:`template_problem`."""
    lead_us: int = 0
    """A link begins so much earlier than what it shows."""
    clock_offsets_us: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Camera to what is added to the time of its recordings to get true time."""


def template_problem(template: str) -> str | None:
    """Say what is wrong with a template of links; None where nothing is.

    Args:
        template: Such as ``https://video.example/play?camera={camera}&from={from}``.
    """
    if len(template) > TEMPLATE_MAX:
        return f"a template has at most {TEMPLATE_MAX} characters"
    if not template.startswith("https://"):
        return "a link begins with https://"
    if _ALLOWED.fullmatch(template) is None:
        return "an address has no spaces, quotes or characters beyond ASCII; percent-encode them"
    names = _PLACE.findall(template)
    unknown = [name for name in names if name not in PLACES]
    if unknown or set("{}") & set(_PLACE.sub("", template)):
        return f"braces hold one of {', '.join(PLACES)}"
    if not {"camera", "recording"} & set(names):
        return "it names neither {camera} nor {recording}"
    return _host_problem(template)


def _host_problem(template: str) -> str | None:
    """Say what is wrong with the host: it is fixed, and nobody's name or password stands by it."""
    try:
        parts = urlsplit(template)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "its host or port cannot be read"
    if "{" in parts.netloc:
        return "the host is fixed; braces stand behind it only"
    if not host or "@" in parts.netloc:
        return "it has a host, and no user or password before it"
    return None


def link_of(links: VideoLinks, video: VideoRow) -> str | None:
    """Make the link to a recording.

    Args:
        links: How the house makes links.
        video: Where the recording is, as a table told it.

    Returns:
        The link; None where the template asks for a recording and none was named, or where what was
        named has not the form of an id.
    """
    named = {"camera": video.camera_id, "recording": video.recording}
    values = _times(links, video)
    for place in set(_PLACE.findall(links.template)) & named.keys():
        id_ = named[place]
        if id_ is None or _ID.fullmatch(id_) is None:
            return None
        values[place] = id_
    return _PLACE.sub(lambda found: quote(values[found[1]], safe=""), links.template)


def _times(links: VideoLinks, video: VideoRow) -> dict[str, str]:
    """Give both ends by the camera's clock; the lead time comes before the first."""
    shift_us = video.clock_offset_us - links.clock_offsets_us.get(video.camera_id, 0)
    from_us, until_us = video.from_us + shift_us - links.lead_us, video.until_us + shift_us
    return {
        "from": _text(from_us),
        "until": _text(until_us),
        "from_s": str(from_us // _SECOND_US),
        "until_s": str(-(-until_us // _SECOND_US)),
        "from_ms": str(from_us // _MILLISECOND_US),
        "until_ms": str(-(-until_us // _MILLISECOND_US)),
    }


def _text(at_us: int) -> str:
    return f"{instant_of(at_us):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
