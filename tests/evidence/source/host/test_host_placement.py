"""Where the arrays of host code live, as far as the source tells."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from advisor.evidence.source.host.data_flow.placement import Placement
from advisor.model.text.source_text import SourceText
from advisor.program.names.workspace import Workspace
from advisor.program.syntax.module import parse_module

HEAD = """\
import cupy as cp
import numpy as np
import torch
import torch.nn.functional as F
from numba import cuda
from torch import nn
from torch.utils.data import DataLoader

"""


def where(folder: Path, body: str) -> str | None:
    """`library where` of the expression in the last line, `look(…)`, of a function's body."""
    text = HEAD + "def run(given, device, loader, flag):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    module = parse_module(SourceText("program.py", text))
    call = next(one for one in module.calls if isinstance(one.func, ast.Name) and one.func.id == "look")
    found = Placement(module, Workspace(folder)).of(call.args[0])
    return None if found is None else f"{found.library} {found.where}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("look(torch.zeros(4, device='cuda'))", "torch gpu"),
        ("look(np.random.default_rng(2).uniform(0.1, 0.2, 64))", "numpy host"),
        ("rng = np.random.default_rng(2)\nlook(rng.normal(size=given) ** 2)", "numpy host"),
        ("rng = np.random.default_rng(2)\nlook(np.exp(rng.random(given)))", "numpy host"),
        ("rng = np.random.default_rng(2)\nlook(rng.uniform(0.1, 0.2))", "python host"),
        ("look(np.exp(given))", None),
        ("look(torch.zeros(4, device='cuda:1'))", "torch gpu"),
        ("look(torch.zeros(4, device='cpu'))", "torch host"),
        ("look(torch.zeros(4, device=device))", None),
        ("look(torch.zeros(4))", "torch host"),
        ("d = 'cuda' if torch.cuda.is_available() else 'cpu'\nlook(torch.zeros(4, device=d))", "torch gpu"),
        ("d = torch.device(f'cuda:{flag}')\nlook(given.to(d))", "torch gpu"),
        ("d = torch.device('cpu')\nlook(given.to(d))", "torch host"),
        ("look(given.to(device))", None),
        ("look(given.cuda())", "torch gpu"),
        ("look(given.cuda().cpu())", "torch host"),
        ("look(given.cuda().cpu().numpy())", "numpy host"),
        ("look(given.cuda().item())", "python host"),
        ("look(given.cuda().shape[0])", "python host"),
        ("look(given.cuda().size(0))", "python host"),
        ("look(given.cuda().to(torch.float16))", "torch gpu"),
        ("look(given.cuda() + 1)", "torch gpu"),
        ("look(1 - given.cuda()[0])", "torch gpu"),
        ("look(given + 1)", None),
        ("look(F.relu(given.cuda()))", "torch gpu"),
        ("look(torch.cat([given.cuda(), given.cuda()]))", "torch gpu"),
        ("look(torch.is_tensor(given.cuda()))", None),
        ("model = nn.Linear(4, 4).cuda()\nlook(model(given))", "torch gpu"),
        ("model = nn.Linear(4, 4)\nlook(model(given))", None),
        ("loss = nn.MSELoss()\nlook(loss(given.cuda(), given))", "torch gpu"),
        ("_, best = torch.max(given.cuda(), 1)\nlook(best)", "torch gpu"),
        ("look(given.cuda() is None)", "python host"),
        ("look(cp.zeros(4))", "cupy gpu"),
        ("look(cp.zeros(4).get())", "numpy host"),
        ("look(cp.asnumpy(given))", "numpy host"),
        ("look(cp.linalg.norm(given))", "cupy gpu"),
        ("look(cp.float32(1))", None),
        ("look(cp.cuda.Stream())", None),
        ("look(np.zeros(4))", "numpy host"),
        ("look(cuda.to_device(given))", "numba gpu"),
        ("look(cuda.to_device(given).copy_to_host())", "numpy host"),
        ("look(given)", None),
    ],
)
def test_expressions(tmp_path: Path, body: str, expected: str | None) -> None:
    assert where(tmp_path, body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = given.cuda()\nx = x.cpu()\nlook(x)", "torch host"),
        ("x = given\nx = x.cuda()\nlook(x)", "torch gpu"),
        ("x = given.cuda()\nif flag:\n    x = x.cpu()\nlook(x)", None),
        ("x = given.cuda()\nif flag:\n    x = x + 1\nlook(x)", "torch gpu"),
        ("x = given\nif torch.cuda.is_available():\n    x = x.cuda()\nlook(x)", "torch gpu"),
        ("x = given\nif flag:\n    x = x.cuda()\nlook(x)", None),
        ("x = torch.zeros(4)\nfor _ in given:\n    look(x)\n    x = x.cuda()", None),
        ("x = given.cuda()\nfor _ in given:\n    look(x)\n    x = torch.sin(x)", "torch gpu"),
        ("for _ in given:\n    x = given.cuda()\n    look(x)\n    x = given", "torch gpu"),
        ("for x in loader:\n    look(x)", "torch host"),
        ("for i, (x, y) in enumerate(loader):\n    look(y)", "torch host"),
        ("for i, x in enumerate(loader):\n    look(i)", None),
        ("for x in cp.zeros(4):\n    look(x)", "cupy gpu"),
        ("for x in given:\n    look(x)", None),
        ("with given as x:\n    look(x)", None),
        ("x, y = given.cuda(), 1\nlook(x)", "torch gpu"),
        ("x, y = given.cuda(), 1\nlook(y)", "python host"),
        ("def x(): pass\nlook(x)", None),
    ],
)
def test_names_by_what_reaches_them(tmp_path: Path, body: str, expected: str | None) -> None:
    assert where(tmp_path, body) == expected


@pytest.mark.parametrize(
    ("body", "pinned"),
    [
        ("x = cuda.pinned_array(4)\nlook(x)", True),
        ("x = np.zeros(4)\nlook(x)", False),
        ("look(torch.zeros(4).pin_memory())", True),
        ("look(torch.zeros(4, pin_memory=True))", True),
        ("data = DataLoader(given, pin_memory=True)\nfor x in data:\n    look(x)", True),
        ("data = DataLoader(given)\nfor x in data:\n    look(x)", False),
        ("data = DataLoader(given, pin_memory=flag)\nfor x in data:\n    look(x)", None),
        ("data = DataLoader(given, **flag)\nfor x in data:\n    look(x)", None),
        ("for x in loader:\n    look(x)", None),
    ],
)
def test_page_locked_memory(tmp_path: Path, body: str, pinned: bool | None) -> None:
    text = HEAD + "def run(given, device, loader, flag):\n" + textwrap.indent(body, "    ")
    module = parse_module(SourceText("program.py", text))
    call = next(one for one in module.calls if isinstance(one.func, ast.Name) and one.func.id == "look")
    found = Placement(module, Workspace(tmp_path)).of(call.args[0])
    assert found is not None
    assert found.pinned is pinned


def test_a_default_device_makes_creators_unknown(tmp_path: Path) -> None:
    assert where(tmp_path, "torch.set_default_device('cuda')\nlook(torch.zeros(4))") is None


def test_names_of_a_class_are_those_it_binds(tmp_path: Path) -> None:
    text = HEAD + textwrap.dedent("""\
        class Trainer:
            def __init__(self, data):
                self.device = torch.device("cuda")
                self.model = nn.Linear(4, 4).to(self.device)
                self.either = data

            def step(self, x):
                look(self.model(x))

            def other(self):
                look(self.either)
        """)
    module = parse_module(SourceText("program.py", text))
    first, second = (one for one in module.calls if isinstance(one.func, ast.Name) and one.func.id == "look")
    placement = Placement(module, Workspace(tmp_path))
    assert placement.on_gpu(first.args[0])
    assert placement.of(second.args[0]) is None


def test_names_that_depend_on_each_other_come_to_an_end(tmp_path: Path) -> None:
    names = [f"x{k}" for k in range(40)]
    lines = "".join(
        f"    {a} = {b} + {c}\n"
        for a, b, c in zip(names, names[1:] + names[:1], names[2:] + names[:2], strict=True)
    )
    assert where(tmp_path, f"for _ in given:\n{lines}look(x0)") is None
