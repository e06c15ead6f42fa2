"""Places in Triton's PTX, each case written by hand after what Triton 3.9 writes."""

from __future__ import annotations

from advisor.evidence.simulated.driver.triton.program_lines import with_program_lines

LIBRARY = ("/site/triton/",)
FILES = '\t.file\t1 "/home/me/main.py"\n\t.file\t2 "/site/triton/language/standard.py"\n'


def places(text: str) -> list[str]:
    lines = with_program_lines(text + FILES, LIBRARY).split("\n")
    return [" ".join(line.split()[1:]) for line in lines if line.strip().startswith(".loc")]


def test_a_place_of_the_program_stays():
    assert places("\t.loc\t1 20 9   // main.py:20:9\n") == ["1 20 9"]


def test_what_a_function_of_triton_does_stands_where_it_is_called():
    text = (
        "\t.loc\t1 21 13\n"
        "\t.loc\t2 216 16, function_name $L__info_string0, inlined_at 1 21 13 // standard.py\n"
        "\t.loc\t2 196 12, function_name $L__info_string0, inlined_at 2 216 16 // standard.py\n"
    )
    assert places(text) == ["1 21 13", "1 21 13", "1 21 13"]


def test_a_function_of_the_program_keeps_its_own_lines():
    text = "\t.loc\t1 5 4, function_name $L__info_string0, inlined_at 1 30 8\n"
    assert places(text) == ["1 5 4"]


def test_a_place_of_triton_that_nobody_calls_stays():
    assert places("\t.loc\t2 314 12\n") == ["2 314 12"]


def test_inline_assembler_stands_in_one_line():
    text = (
        "\t.loc\t1 17 19\n"
        "\t// begin inline asm\n"
        "\t.loc\t1 17 19\n\tmov.u32 %r1, 0x0;\n"
        "\t.loc\t1 18 19\n\t@%p1 ld.global.b32 { %r1 }, [ %rd1 + 0 ];\n"
        "\t// end inline asm\n"
        "\t.loc\t1 18 4\n"
    )
    assert places(text) == ["1 17 19", "1 17 19", "1 18 4"]


def test_code_that_was_kept_of_another_file():
    text = "\t.loc\t1 5 0\n\t.loc\t1 6 4\n" + FILES
    moved = with_program_lines(text, LIBRARY, "/home/you/copy.py")
    assert '.file\t1 "/home/you/copy.py"' in moved
    assert '.file\t2 "/site/triton/language/standard.py"' in moved
    assert "main.py" not in moved


def test_code_without_places_has_no_file():
    assert with_program_lines("ret;\n", LIBRARY, "/home/you/copy.py") == "ret;\n"


def test_a_file_that_is_named_by_its_folder_and_name():
    text = (
        '\t.loc\t3 7 1, function_name $L__info_string0, inlined_at 1 2 3\n\t.file\t3 "/site/triton" "x.py"\n'
    )
    assert places(text) == ["1 2 3"]
