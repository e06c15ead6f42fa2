"""The files of a project as bytes that travel: packed where they lie, unpacked beside a task."""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from advisor.model.errors import UsageError
from advisor.model.settings.file_discovery import SKIPPED_FOLDERS

MOST_BYTES = 256 << 20
_MEGA = 1 << 20


@dataclass(frozen=True)
class PackedProject:
    """A project's files by path, packed; its root lies `inside` of the folder that was packed.

    A project within a package is imported under the package's name, so the whole package is packed.
    """

    data: bytes
    digest: str
    name: str
    inside: str
    original: str

    @contextmanager
    def opened(self) -> Iterator[Path]:
        """A context with the root of a new copy; it is gone afterwards."""
        with tempfile.TemporaryDirectory(prefix="advisor-project-", ignore_cleanup_errors=True) as folder:
            top = Path(folder).resolve() / self.name
            files: dict[str, tuple[int, bytes]] = pickle.loads(zlib.decompress(self.data))
            for path, (mode, content) in files.items():
                file = top / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                file.chmod(mode | stat.S_IRUSR | stat.S_IWUSR)
            root = top / self.inside
            root.mkdir(parents=True, exist_ok=True)
            yield root

    def told(self, text: str, root: Path) -> str:
        """A text with the paths of the user's project in the place of those of a copy."""
        return text.replace(str(root), self.original)


def packed_project(root: Path) -> PackedProject:
    """The project below `root` as it is now.

    Hidden files and folders, virtual environments and build output are left out as when files are looked for,
    and so are links to folders and whatever is no regular file. Raises UsageError where more than MOST_BYTES
    are left, or a file cannot be read.
    """
    root = root.resolve()
    top = outermost = root
    while (top / "__init__.py").is_file() and top != top.parent:
        top, outermost = top.parent, top
    files: dict[str, tuple[int, bytes]] = {}
    size = 0
    for path in _files(top, outermost):
        file = top / path
        try:
            mode, content = file.stat().st_mode & 0o777, file.read_bytes()
        except OSError as error:
            raise UsageError(f"{file} cannot be read, and so not be sent: {error.strerror}.") from None
        size += len(content)
        if size > MOST_BYTES:
            raise UsageError(
                f"The files below {outermost} are more than the {MOST_BYTES // _MEGA} MB that go to a "
                "cluster. Keep data outside of the project, or leave out --cluster."
            )
        files[path] = (mode, content)
    plain = pickle.dumps(files, protocol=5)
    inside = root.relative_to(top).as_posix()
    digest = hashlib.sha256(plain + inside.encode()).hexdigest()
    return PackedProject(zlib.compress(plain, 1), digest, top.name or "project", inside, str(root))


def _files(top: Path, outermost: Path) -> Iterator[str]:
    """The paths of the files of a project, or of the outermost package around it, from `top` and sorted."""
    for folder, folders, names in os.walk(outermost):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in SKIPPED_FOLDERS
            and not os.path.lexists(os.path.join(folder, name, "pyvenv.cfg"))  # noqa: PTH118
        )
        for name in sorted(names):
            file = Path(folder, name)
            # What hides is settings and secrets.
            if not name.startswith(".") and file.is_file():
                yield file.relative_to(top).as_posix()
