"""`advisor check` on notebooks: places by cell, IPython's commands, suppressions, caches."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from notebook_files import DIVERGENT, HEAD, REACHED, RULE, code, errors, notebook, places, text_of

Run = Callable[..., Any]
IMPORT = "from numba import cuda"


def test_a_finding_stands_at_its_cell_and_line(report: Run, put: Run) -> None:
    put({"cell_type": "markdown", "metadata": {}, "source": ["# A\n", "b"]}, HEAD, DIVERGENT)
    found = report("n.ipynb")
    assert places(found) == [("n.ipynb", 3, 5)]
    assert found["errors"] == []
    assert found["summary"]["kernels"] == 1


def test_the_same_kernel_without_the_fault_is_silent(report: Run, put: Run) -> None:
    put(HEAD, REACHED)
    assert places(report()) == []


def test_text_shows_the_lines_of_the_cell_alone(advisor: Run, put: Run) -> None:
    put(HEAD, "!nvidia-smi\n" + DIVERGENT, "x = 1")
    short = advisor("check", "--evidence", "source", "--no-cache").out
    assert short.startswith("kernel half, n.ipynb\nn.ipynb:cell 2:6:9 error[")
    shown = advisor("check", "--evidence", "source", "--no-cache", "--all").out
    assert "--> n.ipynb:cell 2:6:9 in kernel half" in shown
    assert " 6 |         cuda.syncthreads()" in shown
    assert "%%" not in shown and "x = 1" not in shown


@pytest.mark.parametrize(
    "command",
    [
        "%time x = 1\n",
        "%%time\n",
        "%%timeit -n 3\n",
        "%%capture out\n",
        "!ls -l | grep 'it\n",
        "!!ls\n",
        "?half\n",
        "half??\n",
        "x = !ls\n",
        "x = %timeit -o f(\n",
        "%load_ext autoreload\n",
        "pip install numba\n",
        "!pip install a \\\n    b\n",
        "if True:\n    %time\n",
        "%timeit -n 10 -r 3 f(x)\n",
        "\n\n",
    ],
)
def test_commands_keep_the_lines_where_they_are(report: Run, put: Run, command: str) -> None:
    put(HEAD, command + DIVERGENT)
    found = report()
    assert places(found) == [("n.ipynb", 2, 5 + command.count("\n"))]
    assert found["errors"] == []


@pytest.mark.parametrize(
    "source",
    [
        'x = """\n%d\n!a\nb?\n"""\n',
        "x = (7\n% 2)\n",
        "y = 1 \\\n% 2\n",
        "# what?\n",
        "z = '''?'''\n",
        "a = [1\n, 2]  # ?\n",
    ],
)
def test_what_only_looks_like_a_command_is_python(report: Run, put: Run, source: str) -> None:
    put(HEAD, source + DIVERGENT)
    found = report()
    assert places(found) == [("n.ipynb", 2, 5 + source.count("\n"))]
    assert found["errors"] == []


@pytest.mark.parametrize(
    "magic", ["%%bash", "%%writefile k.cu", "%%html", "%%cython", "# @title C++\n\n%%writefile k.cpp"]
)
def test_cells_of_other_languages_are_left_out_without_a_word(report: Run, put: Run, magic: str) -> None:
    put(HEAD, f"{magic}\n{DIVERGENT}")
    found = report("n.ipynb")
    assert (places(found), found["errors"]) == ([], [])


@pytest.mark.parametrize(
    "magic",
    [
        "%%writefile k.py",
        "%%writefile -a sub/k.py",
        "%%file 'k.py'",
        "\n%%writefile --append k.py  ",
        "#@title A\n%%file k.py",
    ],
)
def test_a_file_that_a_cell_writes_is_looked_at(report: Run, put: Run, magic: str) -> None:
    put("x = 1", f"{magic}\n{IMPORT}\n{DIVERGENT}")
    found = report("n.ipynb")
    assert places(found) == [("n.ipynb", 2, 7 + magic.count("\n"))]
    assert found["errors"] == []


def test_a_written_file_sees_no_name_of_the_notebook_and_the_notebook_none_of_it(
    report: Run, put: Run
) -> None:
    put(IMPORT, f"%%writefile k.py\n{DIVERGENT}")
    assert places(report(), "undefined-name") != []
    put(f"%%writefile k.py\n{IMPORT}", DIVERGENT)
    assert places(report(), "undefined-name") != []
    put(IMPORT, DIVERGENT)
    assert places(report(), "undefined-name") == []


def test_a_file_goes_on_in_cells_that_add_to_it(report: Run, put: Run) -> None:
    put(f"%%writefile k.py\n{IMPORT}", f"%%writefile -a k.py\n{DIVERGENT}")
    assert places(report()) == [("n.ipynb", 2, 6)]
    assert places(report(), "undefined-name") == []
    put(f"%%writefile k.py\n{IMPORT}", f"%%writefile k.py\n{DIVERGENT}")
    assert places(report(), "undefined-name") != []


def test_each_written_file_has_its_own_block(report: Run, put: Run) -> None:
    kernel = "@cuda.jit\ndef f(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = 1"
    program = f"{IMPORT}\nthreads = {{}}\n{kernel}\nf[10, threads](x)"
    put(*(f"%%writefile k{size}.py\n{program.format(size)}" for size in (96, 100, 128)))
    (found,) = [one for one in report()["findings"] if one["rule"] == "block-not-warp-multiple"]
    assert (found["cell"], [one["cell"] for one in found["related"]]) == (2, [2])


def test_a_notebook_may_launch_what_it_has_written(report: Run, put: Run) -> None:
    kernel = "@cuda.jit\ndef f(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = 1"
    put(f"%%writefile kernels.py\n{IMPORT}\n{kernel}", "from kernels import f\nf[10, 100](d)")
    (found,) = [one for one in report()["findings"] if one["rule"] == "block-not-warp-multiple"]
    assert (found["cell"], [one["cell"] for one in found["related"]]) == (2, [1])


def test_a_written_file_that_is_no_python_is_a_problem(report: Run, put: Run) -> None:
    put(f"%%writefile k.py\n{IMPORT}\nfor i in\n", f"{HEAD}\n{DIVERGENT}")
    found = report()
    assert [cell for cell, _, _ in errors(found)] == [1]
    assert places(found) == [("n.ipynb", 2, 9)]


def test_what_looks_like_a_command_in_a_written_file_is_none(report: Run, put: Run) -> None:
    put(f"%%writefile k.py\n{IMPORT}\nx = 7\nx = x \\\n% 2\n{DIVERGENT}")
    assert places(report()) == [("n.ipynb", 1, 10)]


def test_cells_that_are_no_python_code_are_left_out(report: Run, put: Run) -> None:
    put(
        HEAD,
        {"cell_type": "raw", "metadata": {}, "source": [DIVERGENT]},
        {"cell_type": "markdown", "metadata": {}, "source": [DIVERGENT]},
        code(DIVERGENT, metadata={"vscode": {"languageId": "julia"}}),
    )
    found = report("n.ipynb")
    assert (places(found), found["errors"]) == ([], [])


def test_a_cell_that_does_not_parse_takes_no_other_with_it(report: Run, put: Run) -> None:
    put(HEAD, "x = 1\nfor i in\n", DIVERGENT, "def f(:\n")
    found = report("n.ipynb")
    assert places(found) == [("n.ipynb", 3, 5)]
    assert [(cell, line) for cell, line, _ in errors(found)] == [(2, 2), (4, 1)]
    assert [message for _, _, message in errors(found)] == [
        "syntax error: invalid syntax",
        "syntax error: invalid syntax",
    ]


def test_of_a_cell_that_does_not_parse_the_other_functions_are_looked_at(report: Run, put: Run) -> None:
    put(HEAD, f"def half(x):\n    y = x.\n\n\n{DIVERGENT}")
    found = report("n.ipynb")
    assert places(found) == [("n.ipynb", 2, 9)]
    assert [(cell, line) for cell, line, _ in errors(found)] == [(2, 2)]


def test_both_definitions_of_a_name_are_looked_at(report: Run, put: Run) -> None:
    put(HEAD, DIVERGENT, DIVERGENT.replace("16", "8"), REACHED)
    assert places(report()) == [("n.ipynb", 2, 5), ("n.ipynb", 3, 5)]


def test_a_launch_means_the_definition_above_it(report: Run, put: Run) -> None:
    kernel = "@cuda.jit\ndef f(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = 1"
    put(HEAD, kernel, "f[10, 100](x)", kernel, "f[10, 128](x)")
    (found,) = [one for one in report()["findings"] if one["rule"] == "block-not-warp-multiple"]
    assert (found["cell"], [one["cell"] for one in found["related"]]) == (3, [2])
    put(HEAD, kernel, "f[10, 128](x)", kernel, "f[10, 100](x)")
    (found,) = [one for one in report()["findings"] if one["rule"] == "block-not-warp-multiple"]
    assert (found["cell"], [one["cell"] for one in found["related"]]) == (5, [4])


def test_launches_in_later_cells_and_in_timings_count(report: Run, put: Run) -> None:
    kernel = "@cuda.jit\ndef f(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = 1"
    put(HEAD, kernel, "def go(d, n):\n    %timeit -n 3 f[n, 100](d)\n")
    (found,) = [one for one in report()["findings"] if one["rule"] == "block-not-warp-multiple"]
    assert (found["cell"], found["line"], found["column"]) == (3, 2, len("    %timeit -n 3 ") + 1)
    put(HEAD, kernel, "def go(d, n):\n    %timeit -n 3 f[n, 128](d)\n")
    assert places(report(), "block-not-warp-multiple") == []


def test_suppressions_work_in_cells(report: Run, put: Run) -> None:
    quiet = DIVERGENT.replace("syncthreads()", f"syncthreads()  # advisor: ignore[{RULE}] shown on purpose")
    put(HEAD, quiet, DIVERGENT)
    found = report()
    assert places(found) == [("n.ipynb", 3, 5)]
    assert found["summary"]["suppressed"] == 1
    put(f"# advisor: ignore-file[{RULE}] a lesson on faults\n{HEAD}", DIVERGENT)
    assert places(report()) == []
    put(HEAD, REACHED + f"  # advisor: ignore[{RULE}] nothing")
    assert places(report(), "unused-suppression") == [("n.ipynb", 2, 7)]


def test_folders_give_their_notebooks_but_no_checkpoints(report: Run, put: Run, project: Path) -> None:
    put(HEAD, DIVERGENT, name="notes/a.ipynb")
    put(HEAD, DIVERGENT, name="notes/.ipynb_checkpoints/a-checkpoint.ipynb")
    put(HEAD, DIVERGENT, name="old/b.ipynb")
    (project / "pyproject.toml").write_text('[tool.advisor]\nexclude = ["old"]\n')
    assert places(report()) == [("notes/a.ipynb", 2, 5)]
    assert report("--config", 'exclude=["*.ipynb"]')["summary"]["files"] == 0
    (project / "pyproject.toml").write_text(f'[tool.advisor]\nper-file-ignores."*.ipynb" = ["{RULE}"]\n')
    assert places(report()) == []


def test_a_notebook_may_launch_what_a_module_defines(report: Run, put: Run, project: Path) -> None:
    kernel = "@cuda.jit\ndef f(a):\n    i = cuda.grid(1)\n    if i < a.size:\n        a[i] = 1\n"
    (project / "kernels.py").write_text(f"from numba import cuda\n\n\n{kernel}")
    put("from numba import cuda\nfrom kernels import f\n", "f[10, 100](d)")
    assert places(report(), "block-not-warp-multiple") == [("n.ipynb", 2, 1)]


def test_standard_input_may_be_a_notebook(advisor: Run, project: Path, monkeypatch: Any) -> None:
    class Stdin:
        class buffer:
            read = staticmethod(lambda: text_of(notebook(HEAD, DIVERGENT)).encode())

    monkeypatch.setattr("sys.stdin", Stdin)
    arguments = ("--evidence", "source", "--format", "concise", "--stdin-filename")
    shown = advisor("check", "-", *arguments, "n.ipynb").out
    assert "n.ipynb:cell 2:5:9: error" in shown


def test_kept_reports_follow_the_notebook(advisor: Run, put: Run, project: Path) -> None:
    def look() -> Any:
        os.utime(file, ns=(1, 1 + len(file.read_bytes())))
        return json.loads(advisor("check", "--evidence", "source", "--format", "json").out)

    file = put(HEAD, DIVERGENT)
    first, again = look(), look()
    assert again == first
    assert places(first) == [("n.ipynb", 2, 5)]
    put(HEAD, "x = 1", DIVERGENT)
    assert places(look()) == [("n.ipynb", 3, 5)]
    put(HEAD, REACHED)
    assert places(look()) == []


def test_an_accepted_finding_stays_accepted_when_cells_come(advisor: Run, put: Run, report: Run) -> None:
    put(HEAD, DIVERGENT)
    advisor("check", "--evidence", "source", "--no-cache", "--baseline", "b.json", "--write-baseline")
    put("x = 1", HEAD, DIVERGENT)
    assert places(report("--baseline", "b.json")) == []
    put(HEAD, DIVERGENT, DIVERGENT)
    assert len(places(report("--baseline", "b.json"))) == 1


def test_a_line_like_those_between_cells_belongs_to_its_cell(report: Run, put: Run) -> None:
    put(HEAD, "# %% cell 7 on line 3\n" + DIVERGENT, "s = '''\n# %% cell 9\n'''\n" + DIVERGENT)
    assert places(report()) == [("n.ipynb", 2, 6), ("n.ipynb", 3, 8)]


def test_functions_of_notebooks_are_never_run(advisor: Run, put: Run, project: Path) -> None:
    put(HEAD, REACHED, "def workload():\n    open('touched', 'w').close()\n", "open('touched', 'w').close()")
    outcome = advisor("check", "--no-cache", "--format", "json")
    assert json.loads(outcome.out)["errors"] == []
    assert not (project / "touched").exists()


@pytest.mark.parametrize("command", [["verify"], ["tune"], ["run"]])
def test_what_runs_code_refuses_notebooks(advisor: Run, put: Run, command: list[str]) -> None:
    put(HEAD, DIVERGENT)
    outcome = advisor(*command, "n.ipynb::half" if command == ["tune"] else "n.ipynb")
    assert outcome.status == 2
    assert "notebooks are only read" in outcome.err


def test_a_measured_launch_may_show_what_copies_cost(report: Run, put: Run) -> None:
    kernel = "@cuda.jit\ndef f(a, out):\n    i = cuda.grid(1)\n    if i < a.size:\n        out[i] = a[i]"
    arrays = "import numpy as np\nx = np.zeros(1000000, np.float32)\ny = np.zeros(1000000, np.float32)"
    put(HEAD, kernel, f"{arrays}\nf[4096, 256](x, y)")
    assert len(places(report(), "host-array-argument")) == 1
    put(HEAD, kernel, f"{arrays}\n%timeit f[4096, 256](x, y)")
    assert places(report(), "host-array-argument") == []
