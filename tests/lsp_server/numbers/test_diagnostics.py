"""What is said about the text in the editor, when, and to which client."""

from __future__ import annotations

import pytest
from diagnostic_codes import codes
from kernel_pairs import CASES, HEAD, STRAIGHT, TRANSPOSED, Case

import advisor


@pytest.mark.parametrize("case", CASES, ids=[case.rule for case in CASES])
def test_a_kernel_is_told_about_at_its_line_until_it_is_fixed(client, case: Case):
    client.start()
    uri = client.open("k.py", case.text)
    (found,) = client.published(uri, 1)
    assert (found["code"], found["range"]["start"]["line"]) == (case.rule, case.line - 1)
    assert (found["severity"], found["source"]) == (case.severity, "advisor")
    client.change(uri, 2, case.fixed)
    assert client.published(uri, 2) == []


def test_a_diagnostic_carries_all_that_an_editor_can_show(client):
    answer = client.start()
    assert answer["serverInfo"] == {"name": "kernel-advisor", "version": advisor.__version__}
    (found,) = client.published(client.open("k.py", TRANSPOSED), 1)
    # `b[i, j]` in "        a[i, j] = b[i, j] * 2".
    assert found["range"] == {"start": {"line": 7, "character": 18}, "end": {"line": 7, "character": 25}}
    # A warp of a (16, 16) block has 16 values of x, each in a row of its own: 16 sectors. 32 elements of
    # four bytes need 4, of eight 8.
    assert "16 sectors/request where 4 to 8 sectors/request would do" in found["message"]
    assert "Assumed: The block shape is not known here" in found["message"]
    assert found["codeDescription"]["href"].startswith("https://")
    assert len(found["data"]) == 16
    assert "relatedInformation" not in found


def test_a_launch_points_at_its_kernel(client):
    client.start()
    case = next(case for case in CASES if case.rule == "block-not-warp-multiple")
    uri = client.open("k.py", case.text)
    (found,) = client.published(uri, 1)
    (related,) = found["relatedInformation"]
    assert related["location"]["uri"] == uri
    # "def double(a):" is line 5; the name stands in columns 5 to 10.
    assert related["location"]["range"] == {
        "start": {"line": 4, "character": 4},
        "end": {"line": 4, "character": 10},
    }
    assert "double" in related["message"]


def test_a_closed_document_shows_nothing_and_is_read_anew_when_opened(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    assert len(client.published(uri, 1)) == 1
    client.close(uri)
    assert client.published(uri, None) == []
    # The same version number as before, another text.
    client.open("k.py", STRAIGHT)
    assert client.published(uri, 1) == []


def test_the_text_in_the_editor_counts_and_not_the_file(client):
    (client.folder / "k.py").write_text(STRAIGHT, encoding="utf-8")
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    client.change(uri, 2, STRAIGHT)
    client.published(uri, 2)
    (client.folder / "k.py").write_text(TRANSPOSED, encoding="utf-8")
    client.save(uri)
    assert client.published(uri, 2) == []


def test_a_burst_of_changes_ends_with_the_last_text(client):
    client.start()
    uri = client.open("k.py", STRAIGHT)
    for version in range(2, 40):
        client.change(uri, version, TRANSPOSED if version % 2 else STRAIGHT)
    assert codes(client.published(uri, 39)) == ["transposed-index"]
    versions = [message["params"]["version"] for message in client.kept("textDocument/publishDiagnostics")]
    assert versions == sorted(versions)


def test_a_client_that_pulls_gets_what_it_asks_for_and_nothing_else(client):
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    assert codes(client.pulled(uri)) == ["transposed-index"]
    client.change(uri, 2, STRAIGHT)
    assert client.pulled(uri) == []
    client.close(uri)
    assert client.pulled(uri) == []
    assert client.kept("textDocument/publishDiagnostics") == []


def test_launches_in_other_files_decide_and_are_looked_for_on_save(client):
    launch = HEAD + "from k import scale\n\n\ndef run(a, b):\n    scale[(8, 8), (128, 1)](a, b)\n"
    (client.folder / "pyproject.toml").touch()
    client.start()
    uri = client.open("k.py", TRANSPOSED)
    (found,) = client.published(uri, 1)
    assert "Assumed: The block shape is not known here" in found["message"]
    # A warp of a (128, 1) block has 32 values of x, each in a row of its own.
    launcher = client.folder / "run.py"
    launcher.write_text(launch, encoding="utf-8")
    client.save(uri)
    (found,) = client.published(uri, 1)
    assert "32 sectors/request" in found["message"]
    assert "Assumed: The block shape" not in found["message"]
    # In a (1, 128) block x is the same for all lanes, and y runs along the rows.
    launcher.write_text(launch.replace("(128, 1)", "(1, 128)"), encoding="utf-8")
    client.change(uri, 2, TRANSPOSED + "\n")
    assert client.published(uri, 2) == []


def test_what_is_no_kernel_is_passed_over(client):
    client.start(pulls=True)
    for name, language, text in [
        ("plain.py", "python", "print('cuda')\n"),
        ("broken.py", "python", "def f(:\n"),
        ("empty.py", "python", ""),
        ("notes.txt", "plaintext", TRANSPOSED),
        ("pyproject.toml", "toml", "[tool.advisor]\n"),
    ]:
        assert client.pulled(client.open(name, text, language)) == [], name


@pytest.mark.parametrize("language", ["plaintext", ""])
def test_a_new_text_that_is_not_called_python_is_passed_over(client, language):
    client.start(pulls=True)
    document = {"uri": "untitled:k", "languageId": language, "version": 1, "text": TRANSPOSED}
    client.notify("textDocument/didOpen", {"textDocument": document})
    assert client.pulled("untitled:k") == []


def test_a_file_that_is_not_saved_anywhere_is_checked(client):
    client.start()
    assert codes(client.published(client.open("new/folder/k.py", TRANSPOSED), 1)) == ["transposed-index"]


def test_a_file_outside_every_folder_is_checked(client):
    client.start(folders=False)
    assert codes(client.published(client.open("k.py", TRANSPOSED), 1)) == ["transposed-index"]


def test_a_name_with_odd_characters_comes_back_as_it_was_sent(client):
    client.start()
    uri = client.open("größe 100% [1].py", TRANSPOSED)
    assert codes(client.published(uri, 1)) == ["transposed-index"]
    client.close(uri)
    assert client.published(uri, None) == []


def test_broken_source_is_told_and_survived(client):
    client.start()
    uri = client.open("k.py", TRANSPOSED + "def (:\n")
    found, other = client.published(uri, 1)
    assert other["code"] == "transposed-index"
    assert (found["code"], found["severity"]) == ("not-checked", 1)
    assert found["range"] == {"start": {"line": 8, "character": 0}, "end": {"line": 8, "character": 6}}
    assert "syntax error" in found["message"]
    client.change(uri, 2, TRANSPOSED)
    assert codes(client.published(uri, 2)) == ["transposed-index"]


def test_text_that_no_parser_takes_is_survived(client):
    client.start(pulls=True)
    uri = client.open("k.py", TRANSPOSED)
    odd = ["\0", "# \ud800\n", "x = " + "(" * 3000 + "\n", "x = " + "-" * 40000 + "1\n"]
    for version, text in enumerate(odd, start=2):
        client.change(uri, version, TRANSPOSED + text)
        assert "not-checked" in codes(client.pulled(uri)), version
    client.change(uri, 9, TRANSPOSED)
    assert codes(client.pulled(uri)) == ["transposed-index"]


def test_a_byte_order_mark_is_no_part_of_the_program(client):
    client.start(pulls=True)
    (found,) = client.pulled(client.open("k.py", "\ufeff" + TRANSPOSED))
    assert (found["code"], found["range"]["start"]["line"]) == ("transposed-index", 7)


def test_what_is_found_in_another_file_is_not_shown_in_this_one(client):
    device = HEAD + "@cuda.jit(device=True)\ndef put(a, b, i, j):\n    a[i, j] = b[i, j] * 2\n"
    (client.folder / "device.py").write_text(device, encoding="utf-8")
    text = TRANSPOSED.replace("a[i, j] = b[i, j] * 2", "put(a, b, i, j)").replace(
        "import cuda\n", "import cuda\nfrom device import put\n"
    )
    client.start(pulls=True)
    assert client.pulled(client.open("k.py", text)) == []
    # Device function and kernel in one file: the finding is at the function's line 6, and told once.
    together = device + TRANSPOSED.removeprefix(HEAD).replace("a[i, j] = b[i, j] * 2", "put(a, b, i, j)")
    (found,) = client.pulled(client.open("both.py", together))
    assert (found["code"], found["range"]["start"]["line"]) == ("transposed-index", 5)


def test_a_suppression_in_the_text_is_obeyed(client):
    client.start(pulls=True)
    text = TRANSPOSED.replace("* 2\n", "* 2  # advisor: ignore[transposed-index] 4 by 4 elements\n")
    assert client.pulled(client.open("k.py", text)) == []
    unused = STRAIGHT.replace("* 2\n", "* 2  # advisor: ignore[transposed-index] 4 by 4 elements\n")
    (found,) = client.pulled(client.open("l.py", unused))
    # The comment that does nothing is shown faded: tag 1.
    assert (found["code"], found["tags"]) == ("unused-suppression", [1])
    (other,) = client.pulled(client.open("m.py", TRANSPOSED))
    assert "tags" not in other


def test_source_evidence_alone_is_used(client):
    # In float64 by its literal, which only the machine code shows.
    text = HEAD + (
        "@cuda.jit('void(float32[::1])')\n"
        "def half(a):\n"
        "    i = cuda.grid(1)\n"
        "    if i < a.size:\n"
        "        a[i] = a[i] * 0.5\n"
    )
    (client.folder / "pyproject.toml").write_text('[tool.advisor]\nevidence = "measured"\n', "utf-8")
    client.start(pulls=True)
    assert client.pulled(client.open("k.py", text)) == []


def test_what_is_not_recognised_as_a_kernel_is_information_at_its_line(client):
    client.start()
    text = "from numba import cuda\nimport plugins\nk = cuda.jit(plugins.table['k'])\n"
    (found,) = client.published(client.open("k.py", text), 1)
    assert (found["severity"], found["range"]["start"]["line"]) == (3, 2)
    assert found["message"] == ("Not checked: 1 use of cuda.jit was not recognised as a kernel: line 3.")
