"""What is said of made-up launches: numbers and intervals, and of how many launches they are."""

from __future__ import annotations

from advisor.evidence.simulated.synthesis.result import LineCounts, MadeLaunch, Synthesis
from advisor.reports.diagnosis.made_up_launches import synthesis_in_words

LAUNCH = MadeLaunch("round sizes", (4, 1, 1), (32, 1, 1), {}, {}, ("int64",), True, 0, 1.0)
INNER = MadeLaunch("inner blocks", (4, 1, 1), (32, 1, 1), {}, {}, ("int64",), True, 0, 1.0)


def words(line: LineCounts) -> list[str]:
    """What is said of a line, behind the launches."""
    return list(synthesis_in_words(Synthesis("k", (LAUNCH,) * 3, (line,), edges=(INNER,))))


def access(values: dict[str, float], most: dict[str, float]) -> LineCounts:
    return LineCounts("access", "k.py", 7, "a", "global", "load", dict(values), most=most)


def test_the_launches_then_for_which_warps_numbers_hold() -> None:
    *launches, warps, _ = words(access({"sectors_per_request": 4.0}, {}))
    assert [one.split(":")[0] for one in launches] == [
        "1. round sizes", "2. round sizes", "3. round sizes", "4. inner blocks",
    ]  # fmt: skip
    assert [one.endswith("; of branches alone") for one in launches] == [False, False, False, True]
    assert warps == "Numbers hold for full warps: warps with idle lanes ask for less."


def test_a_number_that_all_launches_have() -> None:
    found = words(access({"sectors_per_request": 4.0}, {}))[-1]
    assert found == "k.py:7: access `a` load: sectors_per_request = 4 in all 3"


def test_an_interval() -> None:
    found = words(access({"sectors_per_request": 4.0}, {"sectors_per_request": 8.0}))[-1]
    assert found == "k.py:7: access `a` load: sectors_per_request = 4 to 8 in all 3"


def test_of_branches_all_launches_tell() -> None:
    branch = LineCounts("branch", "k.py", 6, "", "", "", {"divided": 0.0}, most={"divided": 0.25})
    assert words(branch)[-1] == "k.py:6: branch: divided = 0 to 0.25 in all 4"


def test_what_launches_differ_about() -> None:
    branch = LineCounts("branch", "k.py", 6, "", "", "", {}, {"divided": (0.5, 0.0, None, 1.0)})
    assert words(branch)[-1] == (
        "k.py:6: branch: divided is not told, for the launches differ: 0.5, 0, unknown, 1"
    )


def test_nothing_holds_where_nothing_is_known() -> None:
    found = list(synthesis_in_words(Synthesis("k", unknown="It has no code.")))
    assert found == ["Nothing is known of launches that were made up: It has no code."]
