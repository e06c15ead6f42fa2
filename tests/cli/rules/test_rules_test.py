"""`advisor rules test`: examples, marks in kernel files, examples on files, mutants."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import house_pack
import pytest
from program_in_process import run_advisor

EXAMPLES = """\
  example unknown "not known" { a.sectors_per_request = missing }
  example fires "a kernel of ours" on "kernels/strides.py" { }
  example silent "side by side" on "kernels/beside.py" { }
}
"""
RULE = house_pack.RULE.format(name="house-stride").removesuffix("}\n") + EXAMPLES
STRIDES = """\
from numba import cuda


@cuda.jit(debug=True)  # ok: house-stride
def strides(a, b, out):  # fix: drop-debug-options
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[4 * i]  # hit: house-stride
        out[i] += b[2 * i]  # ok: house-stride
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    kernels = tmp_path / "house" / "kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "house" / "house-stride.rules").write_text(RULE)
    (kernels / "strides.py").write_text(STRIDES)
    (kernels / "beside.py").write_text(STRIDES.replace("4 * i", "i").split("  # hit")[0] + "\n")
    (tmp_path / "advisor.toml").write_text('packs = ["house"]\nevidence = "source"\n')
    return tmp_path


def run(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return run_advisor(folder, "rules", "test", *argv)


def test_all_is_as_expected(project: Path) -> None:
    done = run(project)
    assert (done.returncode, done.stdout) == (
        0,
        "1 rule, 3 of 3 examples as expected, 8 of 8 marks as expected, 3 of 3 mutants killed (100.0%).\n",
    ), done.stderr


def test_too_few_mutants(project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.write_text(RULE.replace("= 8 sectors/request", "= 4 sectors/request"))
    done = run(project, "--min-coverage", "90")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == (
        "house/house-stride.rules:2: house-stride with `most` half as large, 5 sectors/request: "
        "every example keeps its verdict."
    )
    assert done.stdout.endswith("Fewer mutants are killed than --min-coverage 90 asks for.\n")


def test_what_does_not_agree_is_named(project: Path) -> None:
    file = project / "house" / "kernels" / "strides.py"
    wrong = STRIDES.replace("# hit: house-stride", "# ok: house-stride").replace(
        "debug=True", "lineinfo=True"
    )
    file.write_text(wrong.replace("b[2 * i]  # ok", "b[2 * i]  # hit"))
    done = run(project, "--no-mutants")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "kernels/strides.py:5: drop-debug-options should fix what is found here, and cannot.",
        "kernels/strides.py:8: house-stride should be silent here, "
        "and says: `a` needs 16 to 32 sectors/request.",
        "kernels/strides.py:9: house-stride should find something here, and is silent.",
        "1 rule, 3 of 3 examples as expected, 5 of 8 marks as expected.",
    ]


def test_an_example_on_a_file_with_another_verdict(project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.write_text(
        RULE.replace('silent "side by side" on "kernels/beside.py"', 'silent "x" on "kernels/strides.py"')
    )
    done = run(project, "--format", "json")
    content = json.loads(done.stdout)
    assert done.returncode == 1
    assert content["mark_failures"] == [
        "house/house-stride.rules:18: house-stride should be silent on kernels/strides.py, and is fires."
    ]


def test_a_failing_example_stops_the_mutants(project: Path) -> None:
    file = project / "house" / "house-stride.rules"
    file.write_text(RULE.replace("= 8 sectors/request", "= 12 sectors/request"))
    done = run(project)
    assert done.returncode == 1
    assert 'the example "every second" should be silent, but the rule is fires.' in done.stdout


WRONG = [
    (
        "# hit: house-strid",
        "kernels/strides.py:8: there is no rule `house-strid`. Did you mean `house-stride`?",
    ),
    ("# hit house-stride", "kernels/strides.py:8: this annotation cannot be read"),
]


@pytest.mark.parametrize(("mark", "said"), WRONG)
def test_marks_that_name_nothing(project: Path, mark: str, said: str) -> None:
    file = project / "house" / "kernels" / "strides.py"
    file.write_text(STRIDES.replace("# hit: house-stride", mark))
    done = run(project)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


BESIDE = (
    "house/house-stride.rules:18: house-stride should be silent on kernels/beside.py, "
    "which was not looked at: "
)


def test_a_file_of_an_example_that_is_not_there_is_one_failure(project: Path) -> None:
    (project / "house" / "kernels" / "beside.py").unlink()
    done = run(project)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "house/house-stride.rules:18: house-stride has an example on kernels/beside.py, which is not there.",
        "1 rule, 3 of 3 examples as expected, 5 of 6 marks as expected, 3 of 3 mutants killed (100.0%).",
    ]


def test_an_example_on_a_file_that_does_not_parse(project: Path) -> None:
    file = project / "house" / "kernels" / "beside.py"
    file.write_text(file.read_text().replace("if i < out.size:", "if i < out.size"))
    done = run(project, "--no-mutants")
    assert done.returncode == 1
    assert done.stdout.startswith(f"{BESIDE}beside.py:7: ")


@pytest.mark.parametrize("decorator", ["", "@functools.cache"])
def test_an_example_on_a_function_that_is_no_kernel(project: Path, decorator: str) -> None:
    file = project / "house" / "kernels" / "beside.py"
    written = file.read_text().replace("@cuda.jit(debug=True)  # ok: house-stride", decorator)
    file.write_text(written.replace("  # fix: drop-debug-options", ""))
    done = run(project, "--no-mutants")
    assert done.returncode == 1
    assert done.stdout.startswith(f"{BESIDE}there is no kernel of Numba in it.\n")


NOT_COMPILED = """\
from numba import cuda


@cuda.jit("void(float32[:])")
def broken(a):
    a[cuda.grid(1)] = no_such_name(a)  # ok: house-stride


@cuda.jit("void(float32[:])")
def works(a):
    a[cuda.grid(1)] = 1  # ok: house-stride
"""


def test_a_kernel_that_does_not_compile_is_not_looked_at(project: Path) -> None:
    (project / "advisor.toml").write_text('packs = ["house"]\nevidence = "compiled"\n')
    (project / "house" / "kernels" / "beside.py").write_text(NOT_COMPILED)
    done = run(project, "--no-mutants")
    assert done.returncode == 1
    said = [line for line in done.stdout.splitlines() if "beside.py" in line]
    assert len(said) == 2
    assert said[0].startswith(f"{BESIDE}beside.py:")
    assert said[1].startswith(
        "kernels/beside.py:6: house-stride is marked `ok` where nothing was looked at: kernels/beside.py:"
    )
    assert all("`broken`" in line for line in said)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("@cuda.jit(debug=True)  # ok: house-stride\n", "", "the function around it is no kernel"),
        ("if i < out.size:", "if i < out.size", "kernels/strides.py:7: "),
    ],
)
def test_a_mark_where_nothing_was_looked_at(project: Path, before: str, after: str, reason: str) -> None:
    (project / "house" / "house-stride.rules").write_text(RULE.split('  example fires "a kernel')[0] + "}\n")
    file = project / "house" / "kernels" / "strides.py"
    file.write_text(STRIDES.replace("  # fix: drop-debug-options", "").replace(before, after))
    done = run(project, "--no-mutants")
    assert done.returncode == 1
    said = [line for line in done.stdout.splitlines() if "kernels/strides.py" in line]
    assert any("is marked `ok` where nothing was looked at" in line for line in said)
    assert all(reason in line for line in said)


def test_examples_are_of_the_rule_as_its_pack_has_it(project: Path) -> None:
    config = project / "advisor.toml"
    config.write_text(config.read_text() + 'ignore = ["house-stride"]\n')
    assert run(project).returncode == 0


def test_overrides_of_the_configuration_are_looked_at(project: Path) -> None:
    config = project / "advisor.toml"
    entry = '\n[[overrides]]\nrule = "house-stride"\ndevice = "{}"\nlevel = "{}"\nreason = "x"\n'
    config.write_text(config.read_text() + entry.format("h1000", "info"))
    done = run_advisor(project, "rules", "lint")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith("advisor.toml:4:1: L117 this override of `house-stride`")
    named = run_advisor(project, "rules", "lint", "house-stride")
    assert "L117" not in named.stdout
    two = 'packs = ["house"]\n' + entry.format("a100*", "info") + entry.format("*80gb", "error")
    config.write_text(two)
    assert "L105" in run_advisor(project, "rules", "lint").stdout


def test_a_broken_rule_does_not_stop_the_others(project: Path) -> None:
    broken = RULE.replace("house-stride", "broken-stride").replace("> most", "> msot")
    (project / "house" / "broken-stride.rules").write_text(broken)
    done = run(project)
    assert done.returncode == 2
    assert done.stdout.startswith("1 rule, 3 of 3 examples as expected, 8 of 8 marks")
    assert "house/broken-stride.rules:6:32" in done.stderr
    by_id = run(project, "broken-stride")
    assert (by_id.returncode, "E205" in by_id.stderr) == (2, True)
    asked = run_advisor(project, "rules", "why", "broken-stride", "house/kernels/strides.py")
    assert (asked.returncode, "E205" in asked.stderr) == (2, True)
    alone = run(project, "house/broken-stride.rules")
    assert (alone.returncode, alone.stdout) == (
        2,
        "0 rules, 0 of 0 examples as expected, 0 of 0 mutants killed (100.0%).\n",
    )
