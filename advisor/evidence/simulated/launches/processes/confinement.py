"""Lets this process and all that it starts write only below some folders, where Linux can see to that.

Landlock (https://docs.kernel.org/userspace-api/landlock.html) needs no privilege. Reading stays free.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38

# LANDLOCK_ACCESS_FS_*: writing a file; removing and making of each kind; renaming to another folder (since
# the second version, without which it is always forbidden); truncating (since the third).
_WRITE_FILE = 1 << 1
_REMOVE_AND_MAKE = sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE = 1 << 13, 1 << 14


class _Ruleset(ctypes.Structure):
    _fields_ = [("handled", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def confine(folders: Sequence[Path]) -> bool:
    """Whether from here on this thread, and what it starts, can write only below these folders."""
    if sys.platform != "linux":
        return False
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = int(call(_CREATE_RULESET, None, 0, _VERSION_FLAG))
    if version < 2:
        return False
    handled = _WRITE_FILE | _REMOVE_AND_MAKE | _REFER | (_TRUNCATE if version >= 3 else 0)
    ruleset = _Ruleset(handled)
    rules = int(call(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0))
    if rules < 0:
        return False
    try:
        return all(_allow(call, rules, handled, folder) for folder in folders) and _restrict(call, rules)
    finally:
        os.close(rules)


def _allow(call: Callable[..., int], rules: int, handled: int, folder: Path) -> bool:
    try:
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        rule = _Beneath(handled, opened)
        return int(call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(rule), 0)) == 0
    finally:
        os.close(opened)


def _restrict(call: Callable[..., int], rules: int) -> bool:
    control = ctypes.CDLL(None, use_errno=True).prctl
    return control(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and int(call(_RESTRICT_SELF, rules, 0)) == 0
