"""What a process keeps is private from the moment at which it is made."""

from pathlib import Path

import pytest

from streams.process.durable import make_directory, write_atomically


def test_what_is_kept_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    make_directory(folder)
    write_atomically(folder / "state", b"x")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "state").stat().st_mode & 0o777 == 0o600


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / ".state.new").symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        write_atomically(tmp_path / "state", b"x")
    assert target.read_text() == "mine"
