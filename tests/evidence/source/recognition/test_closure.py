"""Kernels made self-contained: their text, the functions they call, their constants, what is missing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from units import text_of, unit_of

from advisor.model.compilation_unit import CompilationUnit


def lines_agree(unit: CompilationUnit, folder: Path) -> bool:
    """Whether the last statement of every function stands on the line where the file has it."""
    for function in unit.functions:
        tree = ast.parse("\n" * (function.line - 1) + function.source)
        definition = tree.body[0]
        assert isinstance(definition, ast.FunctionDef)
        last = definition.body[-1]
        written = (folder / function.path).read_text().splitlines()[last.lineno - 1].strip()
        if not written.startswith(ast.unparse(last).split("(")[0].split(" ")[0].split("[")[0]):
            return False
    return True


def test_the_text_loses_decorator_annotations_and_defaults_and_keeps_its_lines(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        program='''
        from numba import cuda

        @cuda.jit(
            fastmath=True,
        )
        def kernel(
            a: "float[:]",
            n: int = 3,
        ) -> None:
            """Doubles."""

            i = cuda.grid(1)
            if i < n:
                a[i] *= 2
        ''',
    )
    kernel = text_of(unit, "kernel")
    assert kernel.line == 6
    assert not kernel.device
    assert kernel.source.splitlines()[0] == "def kernel(a, n):"
    assert kernel.source.splitlines()[14 - 6] == "        a[i] *= 2"
    assert unit.options == {"fastmath": True}
    assert unit.aliases == {"cuda": "numba.cuda"}
    assert unit.missing == ()
    assert unit.parameters == ("a", "n")


def test_methods_and_one_line_functions_are_dedented(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        program="""
        from numba import cuda

        class Holder:
            @staticmethod
            @cuda.jit(device=True)
            def twice(x: float): return 2 * x

            @staticmethod
            @cuda.jit
            def kernel(a):
                i = cuda.grid(1)
            # a comment further left
                a[i] = Holder.twice(a[i])
        """,
    )
    assert unit.missing == ()
    assert text_of(unit, "twice").source == "def twice(x): return 2 * x\n"
    assert text_of(unit, "kernel").source.splitlines() == [
        "def kernel(a):",
        "    i = cuda.grid(1)",
        "# a comment further left",
        "    a[i] = twice(a[i])",
    ]


def test_device_functions_are_followed_through_aliases_imports_and_modules(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        package_in___init__="from .deep import cube",
        package_in_deep="""
        import math
        from numba import cuda
        POWER = 3
        def plain(x):
            return x ** POWER
        cube = cuda.jit(device=True)(plain)
        @cuda.jit(device=True)
        def root(x):
            return math.sqrt(x)
        """,
        program="""
        import numba
        from package import cube
        import package.deep as deep
        from numba import cuda, njit

        @njit
        def inc(x, step=1.5):
            return x + step

        @cuda.jit
        def kernel(a):
            i = cuda.grid(1)
            a[i] = cube(deep.root(inc(a[i])))
        """,
    )
    assert unit.missing == ()
    assert [f.name for f in unit.functions] == ["plain", "root", "inc", "kernel"]
    assert [f.path for f in unit.functions] == [
        "package/deep.py",
        "package/deep.py",
        "program.py",
        "program.py",
    ]
    assert text_of(unit, "kernel").source.splitlines()[-1] == "    a[i] = plain(root(inc(a[i])))"
    assert text_of(unit, "inc").source.splitlines()[0] == "def inc(x, step=1.5):"
    assert text_of(unit, "plain").line == 4
    assert unit.constants == {"POWER": "3"}
    assert unit.aliases == {"cuda": "numba.cuda", "math": "math"}
    assert lines_agree(unit, tmp_path)


def test_one_name_for_two_things_becomes_two_names(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        left="""
        from numba import cuda
        SCALE = 2.0
        @cuda.jit(device=True)
        def apply(x):
            return x * SCALE
        """,
        right="""
        from numba import cuda
        SCALE = 5
        @cuda.jit(device=True)
        def apply(x):
            return x * SCALE
        """,
        program="""
        from numba import cuda
        import left, right
        @cuda.jit
        def kernel(a):
            a[0] = left.apply(a[1]) + right.apply(a[2])
        """,
    )
    assert sorted(unit.constants.values()) == ["2.0", "5"]
    by_path = {f.path: f for f in unit.functions}
    names = {path: f.name for path, f in by_path.items()}
    assert names["left.py"] != names["right.py"]
    for path, value in (("left.py", "2.0"), ("right.py", "5")):
        used = by_path[path].source.splitlines()[-1].split("* ")[1]
        assert unit.constants[used] == value
    wanted = f"    a[0] = {names['left.py']}(a[1]) + {names['right.py']}(a[2])"
    assert by_path["program.py"].source.splitlines()[-1] == wanted


def test_a_renamed_reference_does_not_meet_a_local_name(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        other="""
        from numba import cuda
        @cuda.jit(device=True)
        def scale(x):
            return x * 2
        """,
        program="""
        from numba import cuda
        from other import scale as enlarge
        @cuda.jit
        def kernel(a):
            scale = a[0]
            a[1] = enlarge(scale)
        """,
    )
    function = next(f for f in unit.functions if f.device)
    assert function.name != "scale"
    assert text_of(unit, "kernel").source.splitlines()[-2:] == [
        "    scale = a[0]",
        f"    a[1] = {function.name}(scale)",
    ]


def test_a_module_that_would_write_a_file_is_not_run(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    unit = unit_of(
        tmp_path,
        side=f"open({str(witness)!r}, 'w').write('run')\nWIDTH = 4\n",
        program=f"""
        from numba import cuda
        from side import WIDTH
        open({str(witness)!r}, 'w').write('run')
        @cuda.jit
        def kernel(a, b=open({str(witness)!r}, 'w')):
            a[0] = WIDTH
        """,
    )
    assert unit.constants == {"WIDTH": "4"}
    assert not witness.exists()


def test_annotations_of_local_names_need_nothing(tmp_path: Path) -> None:
    program = """
    from numba import cuda
    import torch
    @cuda.jit
    def kernel(a):
        x: torch.Tensor = a[0]
        a[1] = x
    """
    unit = unit_of(tmp_path, program=program)
    assert unit.missing == ()
    assert unit.aliases == {}


def test_members_of_classes_and_enumerations_become_numbers(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        program="""
        import enum
        from numba import cuda
        class Mode(enum.Enum):
            ADD = 3
        class Shape:
            WIDTH = 16
        @cuda.jit
        def kernel(a):
            a[Shape.WIDTH] = Mode.ADD.value
        """,
    )
    assert unit.constants == {"WIDTH": "16", "ADD": "3"}
    assert text_of(unit, "kernel").source.splitlines()[-1] == "    a[WIDTH] = ADD"


def test_a_function_imported_and_compiled_under_its_own_name_is_found(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        shapes="def hat(x):\n    return 1 - x\n",
        program="""
        from numba import cuda
        from shapes import hat
        hat = cuda.jit(hat, device=True, inline=True)
        @cuda.jit
        def kernel(a):
            a[0] = hat(a[1])
        """,
    )
    assert unit.missing == ()
    assert text_of(unit, "hat").path == "shapes.py"


def test_options_that_are_no_constants_are_named_in_the_assumptions(tmp_path: Path) -> None:
    unit = unit_of(
        tmp_path,
        program="""
        import os
        from numba import cuda
        LIMIT = 64
        @cuda.jit(max_registers=LIMIT, fastmath=os.getenv("FAST"), lineinfo=True)
        def kernel(a):
            a[0] = 1
        """,
    )
    assert unit.options == {"max_registers": 64}
    sentence = "The option fastmath of the decorator is left out: its value is not a constant."
    assert sentence in unit.candidates[0].assumptions


MLIR = """
{imports}
import math
@cuda.jit
def kernel(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = {value}
"""


@pytest.mark.parametrize(
    ("imports", "value"),
    [
        ("from numba_cuda_mlir import cuda", "math.sqrt(a[i])"),
        ("import numba_cuda_mlir.cuda as cuda", "cuda.float32(2)"),
        ("from numba_cuda_mlir import cuda, int32", "int32(a[i])"),
        (
            "from numba_cuda_mlir import cuda\nfrom numba_cuda_mlir.numba_cuda import types",
            "types.int8(a[i])",
        ),
        ("if input():\n    from numba_cuda_mlir import cuda\nelse:\n    cuda = input()", "a[i] * 2"),
    ],
)
def test_another_compiler_for_the_same_kernels_has_the_same_types(
    tmp_path: Path, imports: str, value: str
) -> None:
    unit = unit_of(tmp_path, program=MLIR.format(imports=imports, value=value))
    assert unit.missing == ()
    assert unit.aliases["cuda"] == "numba.cuda"
    assert all(one.startswith(("numba.", "math")) for one in unit.aliases.values())
    assert unit.other_compiler == "numba_cuda_mlir"
    said = "`numba_cuda_mlir` is taken to infer the types that Numba does; its machine code is not known."
    assert said in unit.candidates[0].assumptions


def test_numbas_own_names_are_those_of_no_other_compiler(tmp_path: Path) -> None:
    imports = "from numba import cuda\nfrom numba_cuda_mlir import int32"
    unit = unit_of(tmp_path, program=MLIR.format(imports=imports, value="a[i]"))
    assert (unit.other_compiler, unit.missing) == ("", ())
    imports = "from numba_cuda_mlir import cuda, extending"
    unit = unit_of(tmp_path, program=MLIR.format(imports=imports, value="extending.f(a[i])"))
    assert unit.missing == ("extending.f in line 7 (a part of numba_cuda_mlir that Numba does not have)",)


EXTENDED = "from numba.extending import overload\ndef f(x):\n    pass\n"


@pytest.mark.parametrize(
    ("head", "value", "clause"),
    [
        ("def f(x):\n    return x", "f(a[i])",
         "`f` in line {} is a plain Python function, which a kernel cannot call"),
        ("import pandas", "pandas.isna(a[i])",
         "`pandas.isna` in line {} is a part of pandas, which a kernel cannot use"),
        ("class C:\n    pass", "C(a[i])",
         "`C` in line {} is a class, which a kernel can use only where an extension of Numba says how"),
        ("f = input()", "f(a[i])", None),
        ("import sys", "sys.maxsize()", None),
        # Numba is taught what the call of a function without a body is.
        (f"{EXTENDED}@overload(f, target='cuda')\ndef g(x):\n    return lambda x: x", "f(a[i])", None),
        (f"{EXTENDED}@overload(f)\ndef g(x):\n    return lambda x: x", "f(a[i])", None),
        (f"{EXTENDED}overload(f, strict=False)(lambda x: lambda x: x)", "f(a[i])", None),
        (f"{EXTENDED}registry = make()\nregistry.lower(f, float)(input)", "f(a[i])", None),
        (f"{EXTENDED}@overload(f, target='cpu')\ndef g(x):\n    return lambda x: x", "f(a[i])",
         "`f` in line {} is a plain Python function, which a kernel cannot call"),
        (f"{EXTENDED}@overload(g)\ndef h(x):\n    return lambda x: x", "f(a[i])",
         "`f` in line {} is a plain Python function, which a kernel cannot call"),
    ],
)  # fmt: skip
def test_what_is_known_to_be_of_no_use_is_told_from_what_only_a_run_shows(
    tmp_path: Path, head: str, value: str, clause: str | None
) -> None:
    program = MLIR.format(imports=f"from numba import cuda\n{head}", value=value)
    unit = unit_of(tmp_path, program=program)
    line = len(program.strip().splitlines())
    assert unit.unusable == (() if clause is None else (clause.format(line),))
    if clause is None:
        assert unit.obstacle.endswith("cannot be resolved without running the program")
    else:
        assert unit.obstacle == clause.format(line)
