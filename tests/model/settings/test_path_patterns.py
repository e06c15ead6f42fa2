import pytest

from advisor.model.settings.path_patterns import path_matcher


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("tests", "tests/a.py"),
        ("tests", "deep/tests/a.py"),
        ("*_test.py", "deep/a_test.py"),
        ("src/gen", "src/gen/x/y.py"),
        ("./gen", "gen/x.py"),
        ("src/**/old.py", "src/a/b/old.py"),
        ("src/**/old.py", "src/old.py"),
        ("src/**", "src/a/b.py"),
        ("v[0-9].py", "a/v3.py"),
        ("a?.py", "ab.py"),
        ("we+ird(1).py", "we+ird(1).py"),
    ],
)
def test_matches(pattern: str, path: str) -> None:
    assert path_matcher((pattern,))(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("tests", "mytests/a.py"),
        ("tests", "tests.py"),
        ("*.py", "a.pyi"),
        ("src/gen", "other/src/gen/x.py"),
        ("./gen", "deep/gen/x.py"),
        ("src/*.py", "src/a/b.py"),
        ("v[!0-9].py", "v3.py"),
        ("[z-a].py", "b.py"),
    ],
)
def test_stays_silent(pattern: str, path: str) -> None:
    assert not path_matcher((pattern,))(path)


def test_no_patterns_match_nothing() -> None:
    assert not path_matcher(())("a.py")
