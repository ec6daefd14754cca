"""Links to recordings are the house's: what a device says stands in them as data only."""

from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.events.fields import ID_PATTERN
from schemas.records import VideoRow
from streams.process.video_links import TEMPLATE_MAX, VideoLinks, link_of, template_problem

QUERY = "https://video.example:8443/play?camera={camera}&rec={recording}&from={from}&to={until}"
PATH = "https://video.example/{camera}/{recording}/{from_ms}-{until_ms}#t={from_s}-{until_s}"
AT_US = 1_749_333_603_000_000
"""2025-06-07T22:00:03Z."""


def row(camera: str = "C1", recording: str | None = "R-9", **times: int) -> VideoRow:
    span = {"from_us": AT_US, "until_us": AT_US + 30_000_000, "clock_offset_us": 0, **times}
    return VideoRow(coup_id="S1/1", camera_id=camera, recording=recording, **span)


def test_a_link_names_camera_recording_and_time() -> None:
    assert link_of(VideoLinks(QUERY), row()) == (
        "https://video.example:8443/play?camera=C1&rec=R-9"
        "&from=2025-06-07T22%3A00%3A03.000Z&to=2025-06-07T22%3A00%3A33.000Z"
    )
    assert link_of(VideoLinks(PATH), row()) == (
        "https://video.example/C1/R-9/1749333603000-1749333633000#t=1749333603-1749333633"
    )


def test_it_begins_earlier_by_the_lead_time_and_counts_by_the_clock_of_the_camera() -> None:
    links = VideoLinks(
        "https://v.example/{camera}/{from}/{until}", 5_000_000, {"C1": 2_000_000, "C2": -1_000_000}
    )
    made = [link_of(links, row(camera)) for camera in ("C1", "C2", "C3")]
    assert [unquote(one or "") for one in made] == [
        "https://v.example/C1/2025-06-07T21:59:56.000Z/2025-06-07T22:00:31.000Z",
        "https://v.example/C2/2025-06-07T21:59:59.000Z/2025-06-07T22:00:34.000Z",
        "https://v.example/C3/2025-06-07T21:59:58.000Z/2025-06-07T22:00:33.000Z",
    ]


def test_the_clock_of_the_table_is_put_right_too_and_nothing_is_cut_off() -> None:
    links = VideoLinks("https://v.example/{camera}/{from_s}/{until_s}/{from_ms}/{until_ms}")
    made = link_of(links, row(from_us=AT_US, until_us=AT_US + 1, clock_offset_us=500_500))
    assert made == "https://v.example/C1/1749333603/1749333604/1749333603500/1749333603501"


HOSTILE = [
    "a/../../admin",
    "a@evil.example",
    "a:80@evil.example/",
    "a#top",
    "a=1+1",
    "a~b",
    "x" * 64,
]


@pytest.mark.parametrize("id_", HOSTILE)
def test_a_hostile_id_stays_one_value(id_: str) -> None:
    made = link_of(VideoLinks(QUERY), row(id_, id_))
    assert made is not None
    parts = urlsplit(made)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "video.example:8443", "/play")
    asked = parse_qs(parts.query, strict_parsing=True)
    assert (asked["camera"], asked["rec"], len(asked), parts.fragment) == ([id_], [id_], 4, "")


@pytest.mark.parametrize(
    "id_",
    [
        "",
        ".",
        "..",
        "../x",
        "/x",
        "a b",
        "a\nb",
        'a"b',
        "<b>",
        "a&b",
        "a%2e",
        "javascript:alert(1) ",
        "é",
        "a\u202eb",
        "{from}",
        "x" * 65,
    ],
)
def test_what_is_no_id_gives_no_link(id_: str) -> None:
    assert link_of(VideoLinks(QUERY), row(id_)) is None
    assert link_of(VideoLinks(QUERY), row("C1", id_)) is None


def test_without_a_recording_there_is_a_link_only_where_the_template_asks_for_none() -> None:
    assert link_of(VideoLinks(QUERY), row(recording=None)) is None
    assert link_of(VideoLinks("https://v.example/{camera}"), row(recording=None)) is not None


@given(st.from_regex(ID_PATTERN, fullmatch=True), st.from_regex(ID_PATTERN, fullmatch=True))
def test_no_id_changes_host_path_or_fragment(camera: str, recording: str) -> None:
    made = link_of(VideoLinks(PATH), row(camera, recording))
    assert made is not None
    parts = urlsplit(made)
    assert (parts.scheme, parts.netloc, parts.fragment) == (
        "https",
        "video.example",
        "t=1749333603-1749333633",
    )
    assert [unquote(one) for one in parts.path.split("/")[1:3]] == [camera, recording]
    assert parts.path.count("/") == 3


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("http://v.example/{camera}", "a link begins with https://"),
        ("javascript:alert({camera})", "a link begins with https://"),
        ("HTTPS://v.example/{camera}", "a link begins with https://"),
        ("https://v.example/" + "x" * TEMPLATE_MAX + "{camera}", "at most 1000 characters"),
        ("https://v.example/{camera} ", "no spaces"),
        ("https://v.example/\\{camera}", "no spaces"),
        ('https://v.example/"{camera}', "no spaces"),
        ("https://v.example/é{camera}", "no spaces"),
        ("https://v.example/{camera}/{patron}", "braces hold one of camera, recording, from"),
        ("https://v.example/{camera!r}", "braces hold one of"),
        ("https://v.example/{{camera}}", "braces hold one of"),
        ("https://v.example/{camera", "braces hold one of"),
        ("https://v.example/{from}", "neither {camera} nor {recording}"),
        ("https://{camera}/", "the host is fixed"),
        ("https://v.example:{from_s}/{camera}", "its host or port cannot be read"),
        ("https://user:word@v.example/{camera}", "no user or password"),
        ("https:///{camera}", "it has a host"),
        ("https://v.example:99999/{camera}", "its host or port cannot be read"),
    ],
)
def test_a_template_that_cannot_be_is_refused(template: str, problem: str) -> None:
    said = template_problem(template)
    assert said is not None
    assert problem in said


@pytest.mark.parametrize("template", [QUERY, PATH, "https://[::1]:8443/{recording}"])
def test_a_template_that_can_be_is_taken(template: str) -> None:
    assert template_problem(template) is None
