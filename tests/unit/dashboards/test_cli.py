"""The command line as a whole: help, version, exit codes, and one line for every error."""

import errno
import io
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from dashboards import cli
from dashboards.commands.registry import GROUPS, MODULES
from dashboards.errors import ServiceProblem
from tests.support.ladderman import ladderman, refusal
from tests.support.source_tree import ROOT


def test_without_words_the_help_is_shown_with_exit_2() -> None:
    answer = ladderman()
    assert answer.code == 2
    assert "audit" in answer.out + answer.err


def test_the_help_lists_every_command() -> None:
    answer = ladderman("--help")
    assert answer.code == 0
    assert [name for name in MODULES if name not in answer.out] == []


def test_the_help_shows_the_commands_in_their_groups() -> None:
    lines = ladderman("-h").out.splitlines()
    headings = [line.rstrip(":") for line in lines if line.endswith(":") and line[0] != " "]
    assert headings == ["Options", *(group.title for group in GROUPS)]
    names = [line.split()[0] for line in lines if line.startswith("  ") and line[2].isalpha()]
    assert [name for name in names if name in MODULES] == list(MODULES)
    assert max(map(len, lines)) <= 80


def test_the_version_is_shown_alone() -> None:
    answer = ladderman("--version")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("ladderman ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audti",), "no such command 'audti'; did you mean audit?; see ladderman --help"),
        (("rules", "shw"), "no such command 'shw'; did you mean show?; see ladderman rules --help"),
        (
            ("submission", "chek"),
            "no such command 'chek'; did you mean check?; see ladderman submission --help",
        ),
        (("xyzzy",), "no such command 'xyzzy'; see ladderman --help"),
        (("--versoin",), "no such option --versoin; did you mean --version?"),
        (("settle", "--player"), "option '--player' requires an argument"),
        (("demo", "x"), "unexpected extra argument"),
    ],
)
def test_a_word_that_is_not_known_is_one_line_with_the_near_miss(
    words: tuple[str, ...], said: str
) -> None:
    assert said in refusal(*words)


def test_a_group_without_its_command_shows_its_help_and_says_which_there_are() -> None:
    done = ladderman("incidents")
    assert (done.code, "Usage: ladderman incidents" in done.out) == (2, True)
    assert done.err == "ladderman: say which: list, show; see ladderman incidents --help\n"


def raising(error: BaseException) -> object:
    """Stand in for the command line and fail."""

    def app(*_: object, **__: object) -> int:
        raise error

    return lambda: app


def test_an_internal_fault_is_one_line_and_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "create_app", raising(ZeroDivisionError("inside")))
    answer = ladderman("demo")
    assert (answer.code, answer.out) == (70, "")
    line = answer.err.strip()
    assert "\n" not in line
    assert line.startswith("ladderman: internal fault, written to ")
    log = Path(line.rpartition(" ")[2])
    assert "ZeroDivisionError: inside" in log.read_text(encoding="utf-8")
    log.unlink()


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "stopped"),
        (ServiceProblem("history.chdb: in use"), 3, "history.chdb: in use"),
    ],
)
def test_every_ending_has_its_exit_code(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, said: str
) -> None:
    monkeypatch.setattr(cli, "create_app", raising(error))
    answer = ladderman("demo")
    assert (answer.code, answer.err) == (code, f"ladderman: {said}\n")


def test_a_command_that_is_interrupted_says_that_it_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = typer.Typer()

    @app.command("demo")
    def interrupted() -> None:
        raise KeyboardInterrupt

    @app.command("audit")
    def other() -> None:
        pass

    monkeypatch.setattr(cli, "create_app", lambda: app)
    answer = ladderman("demo")
    assert (answer.code, answer.err.strip()) == (130, "ladderman: stopped")


def test_an_error_of_several_lines_is_brought_into_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "create_app", raising(ServiceProblem("first\n  second")))
    assert ladderman("demo").err == "ladderman: first second\n"


def run_ladderman(*words: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from dashboards.cli import main; main()", *words],
        cwd=ROOT,
        capture_output=True,
        check=False,
        **options,
    )


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text("player_cards,banker_cards\n" + "2S 3H KD,AC 2D\n" * 20_000)
    words = [sys.executable, "-c", "from dashboards.cli import main; main()", "audit", str(path)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait() == 0


@pytest.mark.parametrize("words", [("--version",), ("schema",), ("rules", "list")])
def test_a_full_disk_behind_the_output_is_one_line_and_no_fault_of_ours(
    words: tuple[str, ...],
) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device, which is full
        result = subprocess.run(
            [sys.executable, "-c", "from dashboards.cli import main; main()", *words],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert result.returncode == 3
    assert result.stderr.decode().splitlines()[-1] == (
        "ladderman: cannot write standard output (No space left on device); "
        "make room, or write it elsewhere"
    )


def test_a_full_disk_below_a_file_is_said_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "events.jsonl")
    monkeypatch.setattr(cli, "create_app", raising(full))
    monkeypatch.setattr(cli, "_write_no_more", lambda: None)
    answer = ladderman("demo")
    assert answer.code == 3
    assert answer.err.startswith("ladderman: cannot write events.jsonl (No space left on device)")


def test_a_terminal_without_a_letter_for_a_sign_breaks_nothing_off() -> None:
    words = (
        "settle",
        "--player",
        "2S",
        "--banker",
        "AC 2D",
        "--wager",
        "rising_phoenix.tie=1",
        "--gaming-date",
        "2025-01-01",
    )
    result = run_ladderman(*words, env={"PYTHONIOENCODING": "ascii", "PATH": ""})
    assert (result.returncode, result.stderr) == (1, b"")
    assert b"58 Pa. Code \\xa7 627b.4" in result.stdout or b"DEAL_ORDER" in result.stdout


def test_standard_input_that_is_closed_is_refused_and_no_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b""))))
    assert "standard input: is empty" in refusal("audit", "-")
