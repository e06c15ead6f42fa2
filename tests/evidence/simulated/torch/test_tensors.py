"""Programs with PyTorch's tensors; nothing of it is tested where PyTorch is not installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from textwrap import dedent

import pytest
from advisor_command import AdvisorCommand, Outcome

TENSORS = """\
import threading
import numpy as np
import torch
from numba import cuda

x = torch.arange(1000, dtype=torch.float32, device="cuda")
y = torch.zeros_like(x)

@cuda.jit
def scale(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = a[i] * 3

# An operator's result, and a tensor that was made on the GPU; a kernel takes both where they lie.
scale[8, 128](x + 1, y)
assert (y.cpu().numpy() == (np.arange(1000) + 1) * 3).all()
assert torch.cuda.is_available() and torch.cuda.device_count() == 1 and torch.cuda.current_device() == 0
places = [y, x * 2, x.view(10, 100).t(), torch.ones(3).to("cuda"), torch.ones(3).cuda(0), torch.ones(3).to(x),
          torch.tensor([1, 2], device=x.device), torch.max(x.view(10, 100), dim=0).values, x.new_zeros(2),
          torch.cat([x, y]), torch.as_tensor(cuda.to_device(np.arange(3.0)), device="cuda")]
assert all(one.is_cuda and str(one.device) == "cuda:0" for one in places), places
assert [one.device.type for one in (x.cpu(), x.to("cpu"), torch.ones(2))] == ["cpu"] * 3
assert x.data_ptr() % 256 == 0 and x.type() == "torch.cuda.FloatTensor"

made = torch.from_numpy(np.ones(4)).cuda()
seen = torch.from_dlpack(made)
assert seen.data_ptr() == made.data_ptr() and made.__dlpack_device__() == (2, 0)
view = cuda.as_cuda_array(y[10:20])
assert view.copy_to_host()[0] == 33

w = torch.ones(5, requires_grad=True, device="cuda")
(w * w).sum().backward()
assert w.is_leaf and w.grad.is_cuda and w.grad.tolist() == [2.0] * 5
layer = torch.nn.Linear(3, 1)
layer.to("cuda")
assert all(one.is_cuda and isinstance(one, torch.nn.Parameter) for one in layer.parameters())
layer(torch.ones(2, 3, device="cuda")).sum().backward()
assert layer.bias.grad.item() == 2 and not layer.cpu().weight.is_cuda

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        ctx.save_for_backward(value)
        return value * 2

    @staticmethod
    def backward(ctx, gradient):
        (value,) = ctx.saved_tensors
        assert gradient.is_cuda and value.is_cuda
        return gradient * 2 + torch.zeros(5, device=value.device)

w.grad = None
Twice.apply(w).sum().backward()
assert w.grad.tolist() == [2.0] * 5

torch.manual_seed(5)
drawn = torch.rand(3, device="cuda").tolist()
torch.cuda.manual_seed(5)
assert drawn == torch.rand(3).tolist()

places = []
thread = threading.Thread(target=lambda: places.append(torch.zeros(1, device="cuda").device.type))
thread.start(); thread.join()
assert places == ["cuda"]

begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
begin.record(); scale[8, 128](x, y); end.record(); torch.cuda.synchronize()
assert begin.elapsed_time(end) > 0
for wrong in (lambda: x + torch.ones(1000), lambda: x.numpy(), lambda: np.asarray(x),
              lambda: torch.ones(1, device="cuda:1"), lambda: torch.cuda.graph(None),
              lambda: torch.compile(scale)):
    try:
        wrong()
    except (RuntimeError, TypeError, NotImplementedError) as error:
        print(error)
"""

SAID = """\
Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
CUDA error: invalid device ordinal: there is no cuda:1 on the simulated GPU, only cuda:0.
torch.cuda.graph is not available on the simulated GPU of `advisor run`.
torch.compile is not available on the simulated GPU of `advisor run`: operators run as they are.
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> AdvisorCommand:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (pip install torch)")
    return AdvisorCommand(tmp_path_factory.mktemp("torch_home"))


def run(command: AdvisorCommand, folder: Path, text: str) -> Outcome:
    (folder / "pyproject.toml").touch()
    (folder / "main.py").write_text(dedent(text))
    return command("run", "main.py", cwd=folder)


def test_tensors_of_the_gpu(command, tmp_path):
    done = run(command, tmp_path, TENSORS)
    assert (done.status, done.out.decode()) == (0, SAID), done.err
    assert "advisor: 2 launches recorded." in done.err


def test_an_access_behind_a_result_is_told(command, tmp_path):
    done = run(
        command,
        tmp_path,
        """\
        import torch
        from numba import cuda
        @cuda.jit
        def far(a):
            a[cuda.grid(1) + 3] = 1
        far[1, 32](torch.ones(32, device="cuda") * 2)
        """,
    )
    assert done.status == 1 and "advisor: main.py:5: out of bounds in far" in done.err


def test_a_program_that_this_one_starts_has_the_gpu_too(command, tmp_path):
    (tmp_path / "started.py").write_text(
        dedent(
            """\
            import torch
            from numba import cuda
            @cuda.jit
            def count(a):
                a[cuda.grid(1)] = cuda.grid(1)
            a = torch.zeros(64, device="cuda")
            count[2, 32](a)
            print(int(a.sum()), torch.cuda.is_available())
            """
        )
    )
    text = "import subprocess, sys\nsubprocess.run([sys.executable, 'started.py'], check=True)\n"
    done = run(command, tmp_path, text)
    # 0 + … + 63
    assert (done.status, done.out.decode().split()) == (0, ["2016", "True"]), done.err
    assert "advisor: 1 launch recorded." in done.err
