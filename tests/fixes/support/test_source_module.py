"""Where the nodes of a source stand in its text, with and without parentheses, and which lines are theirs."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.fixes.support.edits.source_module import NotEditable, SourceModule, read_module

ROOT = Path(__file__).parents[3]


def module_of(text: str) -> SourceModule:
    module = read_module(text)
    assert module is not None
    return module


def statements(text: str) -> tuple[SourceModule, list[ast.stmt]]:
    module = module_of(text)
    return module, list(module.nodes(ast.stmt))


# `‹` and `›` stand around an expression with its parentheses, `«` and `»` around what is inside of them.
PLACES = {
    "no parentheses": "x = ‹«a»› + b",
    "one pair": "x = ‹(«a + b»)› * c",
    "several pairs": "x = ‹(( («a») ))› * c",
    "white space": "x = ‹(\t«a»  )›",
    "comments and line ends": "x = ‹( # first (\n    # second (\n\n    «a»  # ) third\n)› + b",
    "joined lines": "x = (b + \\\n  ‹(  \\\n  «a»)›)",
    "Windows line ends": "x = ‹( # (\r\n  «a»\r\n)›\r\n",
    "a comment of a string": 'x = g("# (", ‹(\n  «a»)›)',
    "a string that ends on the line": 'x = """\n# """, ‹( # (\n  «a»)›',
    "a string beside a comment": "x = '#' '(' + ‹(  # '\n  («a»))›",
    "the left of a sum": "x = ‹(«a»)› + (b)",
    "a sum of parentheses": "x = ‹«(a) + (b)»›",
    "the only argument": "f(‹«a»›)",
    "the only argument, with parentheses": "f(‹(«a»)›)",
    "the only argument and a comma": "f(‹(«a»)›,)",
    "one of two arguments": "f(‹(«a»)›, (b))",
    "what is called": "‹(«f»)›(a)",
    "a starred argument": "f(‹«*(a)»›)",
    "what is starred": "f(*‹(«a»)›)",
    "a keyword's value": "f(b=‹(«a»)›)",
    "the value of `**`": "f(**‹(«a»)›)",
    "a generator as the only argument": "f‹«(i for i in j)»›",
    "a generator with parentheses": "f(‹«(i for i in j)»›)",
    "a generator in two pairs": "f(‹(«(i for i in j)»)›)",
    "a tuple": "x = ‹«(a, b)»›",
    "a tuple in another pair": "x = ‹(«(a, b)»)›",
    "a tuple without parentheses": "x = ‹«(a), (b)»›",
    "a tuple as an index": "x[‹«a, b»›]",
    "the class that another inherits from": "class A(‹«B»›): pass",
    "that class with parentheses": "class A(‹(«B»)›): pass",
    "that class and a comma": "class A(‹(«B»)›,): pass",
    "a decorator": "@‹(«d»)›\ndef f(): pass",
    "a default": "def f(a=‹(«b»)›): pass",
    "a yielded value": "def f():\n    x = (yield ‹(«a»)›)",
    "a yield": "def f():\n    x = ‹(«yield a»)›",
    "an assignment in an expression": "f(‹(«a := b»)›)",
    "such an argument": "f(‹«a := b»›)",
    "a question": "if‹(«a»)›: pass",
    "a managed value": "with ‹(«a»)›: pass",
    "a managed value in parentheses with others": "with (‹«a»› as b): pass",
    "a matched value": "match a:\n    case C(‹«1»›): pass",
    "beside letters of two bytes": "é = 'ü' + ‹(«ä»)›",
    "beside letters of four bytes": "x = '\U0001f600' + ‹(«a»)› + '\U0001f600'",
}


@pytest.mark.parametrize("marked", PLACES.values(), ids=list(PLACES))
def test_ranges_with_and_without_parentheses(marked: str) -> None:
    text = re.sub("[‹«»›]", "", marked)
    places = [len(re.sub("[‹«»›]", "", marked[: marked.index(mark)])) for mark in "«»‹›"]
    module = module_of(text)
    node = module.node_at(ast.expr, places[0], places[1])
    assert node is not None
    assert module.outer_range(node) == (places[2], places[3])
    assert module.code_of(node) == text[places[0] : places[1]]
    assert module.outer_code_of(node) == text[places[2] : places[3]]


PARENTHESIZED = [
    ("a", False), ("(a)", True), ("f(a)", False), ("(a, b)", True), ("a, b", False), ("(a), b", False),
    ("((a), b)", True), ("()", True), ("(i for i in j)", True), ("[a]", False), ("(a) + (b)", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PARENTHESIZED)
def test_parentheses_of_a_whole_expression(text: str, expected: bool) -> None:
    module = module_of(f"x = {text}")
    assert module.is_parenthesized(next(module.nodes(ast.Assign)).value) is expected


SPACES = st.sampled_from(["", " ", "\t", "\n", " # (\n", "  # a ) ' \n\n", "\\\n", "\n# é (\n"])
ATOMS = st.sampled_from(["a", "1", "2.5", '"("', "'# ('", '"""\n#) """', "'é'", "()", 'f"{b}("', "'a' \n'b'"])
FORMS = [
    "({0})", "(({0}))", "({0}, {1})", "({0},)", "[{0}, {1}]", "f({0})", "f({0},)", "f({0}, {1})", "f(*({0}))",
    "f(k={0})", "(f)({0})", "f(i for i in {0})", "f((i for i in {0}))", "({0} + {1})", "({0}) * ({1})",
    "-({0})", "({0} if {1} else b)", "({0} or {1})", "({0} < {1})", "a[{0}]", "a[{0}, {1}]", "a[{0}:{1}]",
    "({0}).b", "(lambda: {0})", "{{{0}: {1}}}", "[i for i in ({0}) if {1}]", "(c := {0})",
]  # fmt: skip


@st.composite
def _forms(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    form = draw(st.sampled_from(FORMS))
    return form.format(*(draw(SPACES) + draw(inner) + draw(SPACES) for _ in range(form.count("{1}") + 1)))


EXPRESSIONS = st.recursive(ATOMS, _forms, max_leaves=8)


@given(EXPRESSIONS)
@settings(max_examples=150, deadline=None)
def test_a_name_in_the_place_of_any_expression(expression: str) -> None:
    """An expression's outer range is the longest of its ranges with parentheses that a name can stand for."""
    _check_all(f"x = (\n{expression}\n)\nclass A((\n{expression}\n)): pass\n")


def _check_all(text: str) -> None:
    module = module_of(text)
    nodes = list(ast.walk(module.tree))
    opened = _tokens_before(text)
    for number, node in enumerate(nodes):
        if not isinstance(node, ast.expr) or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            continue
        begin, end = module.range_of(node)
        if module.parent(node) is None or isinstance(module.parent(node), ast.JoinedStr | ast.FormattedValue):
            continue
        assert text[begin:end] == ast.get_source_segment(text, node)
        wanted = _dump_with_name(text, number)
        longest = begin, end
        while opened.get(begin, (0, ""))[1] == "(" and _follows(text, end) == ")":
            begin, end = opened[begin][0], _NOT_CODE.match(text, end).end() + 1  # type: ignore[union-attr]
            if _dump(f"{text[:begin]} zz {text[end:]}") == wanted:
                longest = begin, end
        assert module.outer_range(node) == longest


_NOT_CODE = re.compile(r"(?:\s|\\\n|#[^\n]*)*")


def _follows(text: str, offset: int) -> str:
    found = _NOT_CODE.match(text, offset)
    assert found is not None
    return text[found.end() : found.end() + 1]


def _tokens_before(text: str) -> dict[int, tuple[int, str]]:
    """The place and the text of the token before each token, comments and line ends left out."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    found: dict[int, tuple[int, str]] = {}
    last = (0, "")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE):
            place = starts[token.start[0] - 1] + token.start[1]
            found[place] = last
            last = place, token.string
    return found


def _dump_with_name(text: str, number: int) -> str:
    tree = ast.parse(text)
    _Named(list(ast.walk(tree))[number]).visit(tree)
    return ast.dump(tree)


def _dump(text: str) -> str:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return ""


class _Named(ast.NodeTransformer):
    """Puts a name in the place of a node."""

    def __init__(self, target: ast.AST) -> None:
        self._target = target

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.Name("zz", ast.Load()) if node is self._target else self.generic_visit(node)


LETTERS = st.sampled_from(["a", "é", "ß", "中", "\U00010400", "_1"])
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(
    st.lists(st.tuples(LETTERS, LETTERS, st.text("aé中\U0001f600\f\x85\u2028#(", max_size=4)), min_size=1),
    LINE_ENDS,
)
@settings(max_examples=60, deadline=None)
def test_columns_count_characters(lines: list[tuple[str, str, str]], line_end: str) -> None:
    body = [f"\t{one} = '{text}' + {other}" for one, other, text in lines]
    text = line_end.join(["def f():", *body, ""])
    module = module_of(text)
    assigned = list(module.nodes(ast.Assign))
    for line, node in zip(body, assigned, strict=True):
        assert module.code_of(node) == line.strip("\t")
        assert module.indentation(node) == "\t"
    found = [module.code_of(one) for one in module.nodes(ast.Name)]
    assert found == [name for one, other, _ in lines for name in (one, other)]
    assert module.line_end == ("\r\n" if line_end == "\r\n" else "\n")


def test_nodes_of_the_reference_kernels_are_their_segments() -> None:
    files = sorted((ROOT / "kernels").glob("*.py"))
    assert len(files) > 5
    for file in files:
        module = module_of(file.read_text("utf-8"))
        for node in module.nodes((ast.Call, ast.Subscript, ast.BinOp, ast.Assign)):
            assert module.code_of(node) == ast.get_source_segment(module.text, node)


def test_the_tree_is_that_of_the_program_model() -> None:
    module = module_of("def f(a):\n    b = a\n    return b\n")
    function = module.function_around(0)
    assert function is module.syntax.functions[0]
    reads = module.syntax.loads("b", function)
    assert reads == [one for one in module.names["b"] if isinstance(one.ctx, ast.Load)]


def test_what_stands_in_a_formatted_string() -> None:
    text = 'x = f"{a[0]} {b:>{width}}" "c"\n'
    module = module_of(text)
    whole = (4, len(text) - 1)
    (name,) = module.names["width"]
    assert module.range_of(name) == module.outer_range(name) == whole
    (element,) = module.nodes(ast.Subscript)
    assert module.code_of(element) == module.outer_code_of(element) == "a[0]"
    assert list(module.nodes_in(ast.Name, element)) == module.names["a"]
    with pytest.raises(NotEditable):
        module.replaced(element, "b")
    string = next(module.nodes(ast.Assign)).value
    assert module.replaced(string, "1").start == 4
    assert len(list(module.nodes_in(ast.Name, string))) == 3


def test_decorators_belong_to_the_block_and_not_to_the_function() -> None:
    text = "@cuda.jit(\n    fastmath=True,\n)\nasync def f(a): ...\n"
    module, (function, _) = statements(text)
    assert module.range_of(function) == (text.index("async"), len(text) - 1)
    assert module.block_range([function]) == (1, len(text) - 1)
    assert module.function_around(text.index("fast")) is function
    assert module.function_around(len(text)) is None
    assert list(module.nodes_in(ast.keyword, function)) == []


def test_parameters_have_the_place_of_their_parts() -> None:
    text = "def f(a, *, b=(1)): g = lambda: 1\n"
    module = module_of(text)
    own, none = sorted(module.nodes(ast.arguments), key=module.range_of)
    assert module.code_of(own) == "a, *, b=(1"
    assert module.range_of(none) == (text.index("lambda"), text.index("lambda"))


LINES = """\
if a: b = 1
elif c:
    d; e = 2
else:
    f = 3  # ; nothing
    g = '''
''' ; h
    # comment \\
    i; \\
    j
    k = \\
        1
for l in m: n; o
while p: \\
    q
if r:
    if s:
        t = 4;
else:
    if u:
        v
match w:
    case 1:
        x
"""


def lines_where(question: str) -> list[str]:
    module, found = statements(LINES)
    return [module.code_of(one).split("\n")[0] for one in found if getattr(module, question)(one)]


def test_statements_that_share_a_line() -> None:
    expected = ["b = 1", "d", "e = 2", "g = '''", "h", "i", "j", "n", "o", "q", "t = 4"]
    assert lines_where("shares_line") == expected


def test_bodies_on_the_line_of_their_head() -> None:
    expected = ["if a: b = 1", "b = 1", "for l in m: n; o", "n", "o", "while p: \\", "q"]
    assert lines_where("on_header_line") == expected


def test_statements_that_begin_a_line() -> None:
    left = {"b = 1", "e = 2", "h", "j", "n", "o", "q"}
    module, found = statements(LINES)
    assert {module.code_of(one) for one in found if not module.begins_line(one)} == left


def test_the_block_and_the_statement_of_a_node() -> None:
    module, found = statements(LINES)
    for block in (found[0].body, found[0].orelse, found[0].orelse[0].orelse, module.tree.body):  # type: ignore[attr-defined]
        assert all(module.block_of(one) is block for one in block)
    (name,) = module.names["x"]
    assert module.block_of(module.statement_of(name)) == [module.parent(name)]
    assert module.statement_of(module.names["w"][0]) is found[-2]


def test_nodes_of_a_kind_in_a_part() -> None:
    module, (assigned, called) = statements("a = b[c + d]\nf(g)")
    sums = next(module.nodes(ast.BinOp))
    names = [
        [one.id for one in module.nodes_in(ast.Name, part)] for part in (sums, called, [assigned, called])
    ]
    assert names == [["c", "d"], ["f", "g"], ["a", "b", "c", "d", "f", "g"]]
    assert [*module.nodes_in(ast.Name, module.names["c"][0])] == module.names["c"]
    # The call and the line that it is alone on begin and end at the same places.
    call = next(module.nodes(ast.Call))
    assert module.range_of(call) == module.range_of(called)
    assert [*module.nodes_in(ast.AST, call)][:1] != [called]
    assert called not in module.nodes_in(ast.stmt, call)
    assert [*module.nodes_in(ast.stmt, [])] == []


BINDINGS = """\
import a.b, c as d
from e import f, g as h
for i, (j, *k) in l: pass
with m as n: pass
o = p[q] = r.s = t = 1
u += (v := 1)
w: int
x: int = 1
del y
def z(aa):
    global bb
    bb = cc = aa
    try: pass
    except dd as ee: pass
class ff: gg = 1
[hh for hh in ii]
"""
BOUND = {
    "a": "Import", "d": "Import", "f": "ImportFrom", "h": "ImportFrom", "i": "For", "j": "For", "k": "For",
    "n": "With", "o": "Assign", "t": "Assign", "u": "AugAssign", "v": "NamedExpr", "x": "AnnAssign",
    "y": "Delete", "z": "FunctionDef", "ff": "ClassDef", "gg": "Assign",
}  # fmt: skip


def test_what_binds_a_name() -> None:
    module = module_of(BINDINGS)
    function = module.function_around(BINDINGS.index("global"))
    words = set(re.findall(r"[a-z]+", BINDINGS))
    found = {word: [type(one).__name__ for one in module.bindings(word, None)] for word in words}
    assert {word: kinds for word, kinds in found.items() if kinds} == {w: [kind] for w, kind in BOUND.items()}
    own = {word: [type(one).__name__ for one in module.bindings(word, function)] for word in words}
    assert {word: kinds for word, kinds in own.items() if kinds} == {
        "bb": ["Global", "Assign"], "cc": ["Assign"], "ee": ["ExceptHandler"]
    }  # fmt: skip


def test_a_statement_that_could_not_be_read_uses_all_names() -> None:
    text = "def f(a):\n    b = a\n    0\n    return b\n"
    module = read_module(text, unread=frozenset({1, 2, 3, 4}))
    assert module is not None
    (call,) = module.nodes(ast.Call)
    assert module.code_of(call) == "0"
    assert [one.id for one in module.nodes_in(ast.Name, call)] == ["__unread__", "a", "b"]


@pytest.mark.parametrize("text", ["def (:", "a\0b", "(" * 400 + ")" * 400])
def test_texts_that_cannot_be_read(text: str) -> None:
    assert read_module(text) is None
