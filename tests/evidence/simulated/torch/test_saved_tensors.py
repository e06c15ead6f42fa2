"""Tensors of the GPU in files; nothing of it is tested where PyTorch is not installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from advisor_command import AdvisorCommand

PROGRAM = """\
import copy, pickle
import torch
from numba import cuda

@cuda.jit
def scale(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] * 3

x = torch.arange(6.0, device="cuda")
layer = torch.nn.Linear(3, 2).to("cuda")
optimiser = torch.optim.Adam(layer.parameters(), lr=0.1)
layer(torch.ones(4, 3, device="cuda")).sum().backward()
optimiser.step()
state = {"x": x, "view": x[2:4], "host": torch.ones(2), "w": layer.state_dict(), "o": optimiser.state_dict(),
         "p": torch.nn.Parameter(torch.ones(2, device="cuda")), "empty": torch.zeros(0, device="cuda")}
torch.save(state, "state.pt")
for weights_only in (True, False):
    back = torch.load("state.pt", weights_only=weights_only)
    assert back["x"].is_cuda and back["x"].tolist() == [0, 1, 2, 3, 4, 5]
    back["x"][2] = 7  # of which the view has a part
    assert back["view"].is_cuda and back["view"].tolist() == [7, 3]
    assert back["empty"].is_cuda and not back["host"].is_cuda
    assert all(one.is_cuda for one in back["w"].values()) and back["o"]["state"][0]["exp_avg"].is_cuda
    assert isinstance(back["p"], torch.nn.Parameter) and back["p"].is_cuda and back["p"].requires_grad
    y = torch.zeros_like(back["x"])
    scale[1, 32](back["x"], y)
    assert y.tolist()[2] == 21

on_host = torch.load("state.pt", map_location="cpu")
assert not on_host["x"].is_cuda and not on_host["w"]["weight"].is_cuda
assert torch.load("state.pt", map_location="cuda:0")["host"].is_cuda
assert not torch.load("state.pt", map_location=lambda storage, location: storage)["x"].is_cuda
try:
    torch.load("state.pt", map_location="cuda:1")
except RuntimeError as error:
    print(error)

torch.save(layer, "layer.pt")
whole = torch.load("layer.pt", weights_only=False)
assert all(one.is_cuda and isinstance(one, torch.nn.Parameter) for one in whole.parameters())
other = torch.nn.Linear(3, 2).cuda()
other.load_state_dict(torch.load("state.pt")["w"])
assert torch.equal(other.weight, layer.weight)
assert pickle.loads(pickle.dumps(x)).is_cuda and copy.deepcopy(layer).weight.is_cuda
"""
OUTSIDE = """\
import torch
state = torch.load("state.pt", map_location="cpu")
assert type(state["x"]) is torch.Tensor and state["x"].tolist() == [0, 1, 2, 3, 4, 5]
try:
    torch.load("state.pt")
except RuntimeError as error:
    print(error)
"""


def test_files_are_those_of_a_gpu(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path):
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (pip install torch)")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "main.py").write_text(PROGRAM)
    done = AdvisorCommand(tmp_path_factory.mktemp("home"))("run", "main.py", cwd=tmp_path)
    assert done.status == 0, done.err
    assert b"there is no cuda:1 on the simulated GPU, only cuda:0" in done.out
    # Nothing in the file is of this program: PyTorch alone reads it, and misses the GPU that wrote it.
    alone = subprocess.run(
        [sys.executable, "-c", OUTSIDE], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert alone.returncode == 0, alone.stderr
    if "deserialize" not in alone.stdout:
        pytest.skip("this machine has a GPU")
