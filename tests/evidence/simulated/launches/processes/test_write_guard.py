"""A process that runs in a copy made of links writes into the copy alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from advisor_command import PROGRAM, contents

from advisor.runs.verification.shadow_tree import ShadowTree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="links need a privilege on Windows")

_BEGIN = """
import os, shutil, sqlite3, subprocess, sys
from pathlib import Path

sys.path.insert(0, {program!r})
from advisor.evidence.simulated.launches.processes.confinement import confine
from advisor.evidence.simulated.launches.processes.write_guard import guard_writes

copy, original, allowed = Path({copy!r}), Path({original!r}), Path({allowed!r})
if {confined!r} and not confine([copy, allowed, Path("/dev")]):
    sys.exit(77)
if {guarded!r}:
    guard_writes(copy, [allowed, Path("/dev")])
os.chdir(copy)
"""


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """A project with files, folders, and links of its own to what lies outside."""
    root, outside = tmp_path / "project", tmp_path / "outside"
    (root / "a" / "b").mkdir(parents=True)
    (root / "empty").mkdir()
    outside.mkdir()
    (tmp_path / "allowed").mkdir()
    for file in (root / "top.txt", root / "a" / "x.txt", root / "a" / "b" / "y.txt", outside / "data.txt"):
        file.write_text("first\n")
    (root / "data").symlink_to(outside)
    (root / "broken").symlink_to(tmp_path / "nowhere")
    return root


def run(original: Path, code: str, guarded: bool = True, confined: bool = False) -> str:
    """What a program said last, an empty text where it ended well; the project stays as it is."""
    folder = original.parent
    before = contents(folder / "project"), contents(folder / "outside")
    with ShadowTree(original, {"main.py": ""}) as copy:
        begin = _BEGIN.format(
            program=str(PROGRAM),
            copy=str(copy),
            original=str(original),
            allowed=str(folder / "allowed"),
            guarded=guarded,
            confined=confined,
        )
        done = subprocess.run(
            [sys.executable, "-B", "-c", begin + code],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert (contents(folder / "project"), contents(folder / "outside")) == before
    if done.returncode == 77:
        pytest.skip("this system has no Landlock")
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


WITHIN = [
    "open('top.txt', 'a').write('second'); assert open('top.txt').read() == 'first\\nsecond'",
    "open('top.txt', 'r+').write('F'); assert open('top.txt').read() == 'First\\n'",
    "open('top.txt', 'w').close(); assert open('top.txt').read() == ''",
    "open('new.txt', 'x').close(); assert os.listdir(original).count('new.txt') == 0",
    "os.close(os.open('a/x.txt', os.O_WRONLY | os.O_TRUNC)); assert Path('a/x.txt').read_bytes() == b''",
    "Path('a/b/y.txt').write_text('y'); assert Path('a/x.txt').is_symlink() and not Path('a/b').is_symlink()",
    "Path('a/../top.txt').write_text('t'); Path('a/b/../x.txt').write_text('x')",
    "os.chdir('a/b'); Path('../x.txt').write_text('x'); Path('y.txt').unlink(); Path.cwd().relative_to(copy)",
    "os.rename('a/x.txt', 'a/b/z.txt'); Path('a/b/z.txt').write_text('z'); open('a/x.txt', 'x')",
    "os.replace('top.txt', 'a/x.txt'); assert Path('a/x.txt').read_text() == 'first\\n'",
    "shutil.rmtree('a'); assert not Path('a').exists()",
    "shutil.copy('top.txt', 'a/b/y.txt'); shutil.move('a', 'c'); Path('c/x.txt').write_text('x')",
    "os.makedirs('empty/more'); os.rmdir('empty/more')",
    "os.truncate('top.txt', 2); os.utime('a/x.txt', (1, 1)); os.chmod('a/b/y.txt', 0o600)",
    "os.link('top.txt', 'hard.txt'); Path('hard.txt').write_text('h')",
    "os.symlink(original / 'top.txt', 'soft.txt'); Path('soft.txt').write_text('s')",
    "Path('data/data.txt').write_text('d'); assert Path('data/data.txt').read_text() == 'd'",
    "Path('broken').write_text('b'); assert Path('broken').read_text() == 'b'",
    "sqlite3.connect('top.db').execute('CREATE TABLE t (x)'); sqlite3.connect(':memory:')",
    "(allowed / 'here.txt').write_text('h'); open(os.devnull, 'w').write('nothing')",
    "assert (original / 'top.txt').read_text() == Path('top.txt').read_text()",
    "subprocess.run([sys.executable, '-c', 'print(1)'], check=True, stdout=subprocess.DEVNULL)",
    "if os.fork() == 0:\n    Path('top.txt').write_text('t')\n    os._exit(0)\nassert os.wait()[1] == 0",
]


@pytest.mark.parametrize("code", WITHIN)
@pytest.mark.parametrize("confined", [False, True], ids=["guarded", "confined too"])
def test_writing_into_the_copy_works_and_changes_nothing_else(
    original: Path, code: str, confined: bool
) -> None:
    assert run(original, code, confined=confined) == ""


REFUSED = [
    "(original / 'top.txt').write_text('t')",
    "(original / 'new.txt').touch()",
    "Path('../../../outside.txt').write_text('t')",
    "Path('top.txt').resolve().unlink()",
    "os.rename('top.txt', original / 'a' / 'new.txt')",
    "os.rename(original / 'top.txt', 'mine.txt')",
    "os.link(original / 'top.txt', 'hard.txt')",
    "os.mkdir(original / 'new')",
    "shutil.rmtree(original / 'a')",
    "os.chdir(original); open('top.txt', 'w')",
    "os.remove('x.txt', dir_fd=os.open(original / 'a', os.O_RDONLY))",
    "sqlite3.connect(original / 'top.db')",
    "os.chmod(original / 'top.txt', 0o600)",
]


@pytest.mark.parametrize("code", REFUSED)
def test_writing_elsewhere_is_refused(original: Path, code: str) -> None:
    assert "writes only into its copy of the project and a temporary folder" in run(original, code)


OTHERS = [
    "subprocess.run('echo second >> top.txt', shell=True, check=True)",
    "subprocess.run(['rm', original / 'top.txt'], check=True)",
    "subprocess.run(['cp', 'main.py', original / 'new.txt'], check=True)",
    "subprocess.run(['mv', original / 'a', 'b'], check=True)",
    "subprocess.run(['truncate', '-s', '0', original / 'top.txt'], check=True)",
]


@pytest.mark.parametrize("code", OTHERS)
def test_other_programs_are_stopped_by_the_system(original: Path, code: str) -> None:
    assert "CalledProcessError" in run(original, code, confined=True)


def test_other_programs_write_into_folders_of_the_copy(original: Path) -> None:
    assert (
        run(original, "subprocess.run('echo new > new.txt; mv new.txt newer.txt', shell=True, check=True)")
        == ""
    )
