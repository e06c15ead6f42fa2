"""Rule files that were read before: in this process, and the shipped ones also in an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from advisor.model.data_files import knowledge_folder
from advisor.model.storage.memo import Memo
from advisor.rules.language.file_reading import ReadFile, read_file
from advisor.rules.language.parse_tables import tables
from advisor.rules.loading.file_digests import File, digest_of
from advisor.rules.loading.kept_files import read_kept, write_kept
from advisor.rules.loading.kept_rulebooks import pickled

_MOST_FILES = 2_000
_KEPT = 2
_READ = Memo[tuple[Path, Path], ReadFile](most=_MOST_FILES)


def files_read(files: Sequence[File], cache_folder: Path | None) -> list[ReadFile]:
    """What each file declares, with the errors in it; nobody may change it.

    `cache_folder` must be the user's own: what is kept there of the shipped files is trusted.
    """
    shipped = [one for one in files if one[0].is_relative_to(knowledge_folder())]
    unread = [one for one in shipped if _known(one) is None]
    kept = cache_folder / f"declarations-{digest_of(shipped)}.pickle" if cache_folder and unread else None
    if kept is not None:
        _remember(shipped, read_kept(kept))
        unread = [one for one in shipped if _known(one) is None]
    read = [_known(one) or _read(one, cache_folder) for one in files]
    if kept is not None and unread:
        write_kept(
            kept, pickled([_read(one, cache_folder) for one in shipped]), "declarations-*.pickle", _KEPT
        )
    return read


def _known(one: File) -> ReadFile | None:
    folder, file, data = one
    return _READ.find((folder, file), data)


def _read(one: File, cache_folder: Path | None) -> ReadFile:
    folder, file, data = one

    def read() -> ReadFile:
        tables(cache_folder)
        return read_file(folder, file, data)

    return _READ.value((folder, file), data, read)


def _remember(files: Sequence[File], read: object) -> None:
    if isinstance(read, list) and len(read) == len(files) and all(isinstance(one, ReadFile) for one in read):
        for (folder, file, data), one in zip(files, read, strict=True):
            _READ.keep((folder, file), data, one)
