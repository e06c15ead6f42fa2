"""Budgets: how they are written, and kernels beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from kept_history import fingerprint, run

from advisor.model.errors import UsageError
from advisor.model.history.fingerprint import Run
from advisor.model.settings.config import Config, load_config
from advisor.runs.comparison.ranking.budget_file import Budget, BudgetErrors, load_budgets
from advisor.runs.comparison.ranking.budgets import Line, judged, names

ROOT = Path(__file__).parents[3]


def written(folder: Path, text: str) -> list[Budget]:
    (folder / "budgets.toml").write_text(text)
    return load_budgets(Config(root=folder), None)


def problems(folder: Path, text: str) -> str:
    with pytest.raises(BudgetErrors) as raised:
        written(folder, text)
    return str(raised.value)


def budget(pattern: str = "scale", **more: object) -> Budget:
    return Budget(pattern, "budgets.toml", 2, f"{pattern} =", **more)  # type: ignore[arg-type]


def line(one: Budget, *runs: Run) -> Line:
    (found,) = judged([one], runs, lambda one, run: 1.5)
    return found


def test_times_in_all_units(tmp_path: Path) -> None:
    found = written(tmp_path, '[budgets]\na = "500 us"\nb = "2ms"\nc = "0.5 s"\nd = "800 ns"\n')
    assert [(one.pattern, one.mean) for one in found] == [("a", 0.5), ("b", 2.0), ("c", 500.0), ("d", 0.0008)]


def test_all_that_a_budget_limits(tmp_path: Path) -> None:
    limits = 'mean = "1 ms"\nmost = "2 ms"\nvariation = "10%"\nexponent = 1.5\ndevice = "A100 80GB"\n'
    text = f'[budgets."k.py::scale*"]\n{limits}'
    (found,) = written(tmp_path, text)
    assert (found.mean, found.most, found.variation, found.exponent) == (1.0, 2.0, 0.1, 1.5)
    assert (found.pattern, found.device, found.line) == ("k.py::scale*", "a100-80gb", 1)


def test_in_pyproject_and_the_configuration_accepts_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.advisor]\ndevice = "h100"\n[tool.advisor.budgets]\na = "1 ms"\n'
    )
    (found,) = load_budgets(load_config(tmp_path), None)
    assert (found.pattern, found.mean, found.line) == ("a", 1.0, 4)


def test_a_named_file_comes_before_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('[budgets]\nb = "1 ms"\n')
    written(tmp_path, '[budgets]\na = "1 ms"\n')
    (found,) = load_budgets(Config(root=tmp_path), tmp_path / "other.toml")
    assert found.pattern == "b"


@pytest.mark.parametrize(
    ("text", "sentence", "caret"),
    [
        ('a = "2 bananas"', "`2 bananas` is not a time.", 'a = "2 bananas"\n  |      ^^^^^^^^^\n'),
        ('a = "10%"', "`10%` is not a time.", "\n  |      ^^^\n"),
        ("a = 3", "`3` is not a time.", "\n  |     ^\n"),
        ('a = "-1 ms"', "`-1 ms` is not a time.", "\n  |      ^^^^^\n"),
        ('a = "0 ms"', "`0 ms` is not a time.", "\n  |      ^^^^\n"),
        ("a = true", "is not a time.", ""),
        ('a = { variation = "5 ms" }', "`5 ms` is not a share.", "\n  |                    ^^^^\n"),
        (
            'a = { mots = "3 ms" }',
            "`mots` is no part of a budget. Did you mean `most`?",
            "\n  |       ^^^^\n",
        ),
        ('a = { mean = "1 ms", exponent = "steep" }', "`steep` is not an exponent.", "^^^^^\n"),
        ('a = { mean = "1 ms", device = "a101" }', "There is no device called 'a101'.", "^^^^"),
        ('a = { device = "a100" }', "The budget of `a` limits nothing.", "\n  | ^\n"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(tmp_path: Path, text: str, sentence: str, caret: str) -> None:
    told = problems(tmp_path, f"[budgets]\n{text}\n")
    assert sentence in told
    assert "budgets.toml:2:" in told
    assert caret in told


def test_all_errors_are_told_at_once(tmp_path: Path) -> None:
    told = problems(tmp_path, '[budgets]\na = "1 x"\nb = "2 ms"\nc = "3 y"\n')
    assert [part.splitlines()[0] for part in told.split("\n\n")] == [
        "error[budget]: `1 x` is not a time.", "error[budget]: `3 y` is not a time.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There are no budgets"),
        ("[budgets]\n", "There are no budgets"),
        ("[budgets\n", "is not valid TOML"),
        ("budgets = 3\n", "`budgets` must be a table."),
    ],
)
def test_a_file_without_budgets(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        written(tmp_path, text)


def test_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There are no budgets: write .*budgets\.toml"):
        load_budgets(Config(root=tmp_path), None)
    with pytest.raises(UsageError, match="there is no such file"):
        load_budgets(Config(root=tmp_path), tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("time", "status"), [(1.0, "within"), (1.8, "within"), (1.81, "near"), (2.0, "near"), (2.01, "over")]
)
def test_within_near_and_over(time: float, status: str) -> None:
    found = line(budget(mean=2.0), run(fingerprint(samples=(time,))))
    assert (found.status, found.value, found.would_be) == (status, time, None)


def test_most_and_variation() -> None:
    measured = run(fingerprint(samples=(1.0, 1.0, 4.0)))
    assert line(budget(most=3.0), measured).status == "over"
    assert line(budget(variation=0.1), measured).status == "over"
    assert line(budget(variation=0.1), run(fingerprint(samples=(1.0,)))).status == "no measurement"


def test_growth_is_over_beyond_the_tolerance() -> None:
    assert line(budget(exponent=1.5), run(fingerprint())).status == "within"
    assert line(budget(exponent=1.2), run(fingerprint())).status == "over"


def test_a_predicted_time_is_never_a_measurement() -> None:
    predicted = run(fingerprint(samples=(9.0,), source="simulated"), executed_on="simt")
    found = line(budget(mean=2.0), predicted)
    assert (found.status, found.value, found.would_be) == ("no measurement", 9.0, "over")
    earlier = run(fingerprint(samples=(1.0,)), number=0)
    assert line(budget(mean=2.0), predicted, earlier).status == "within"


def test_the_latest_run_counts_and_of_shapes_the_longest() -> None:
    late = run(fingerprint(samples=(1.0,), grid=1), fingerprint(samples=(1.9,), grid=2), number=2)
    found = line(budget(mean=2.0), late, run(fingerprint(samples=(9.0,))))
    assert (found.value, found.status) == (1.9, "near")


def test_a_budget_of_another_device_is_not_asked() -> None:
    assert line(budget(mean=2.0, device="h100-sxm"), run(fingerprint(samples=(9.0,)))).fingerprint is None
    there = run(fingerprint(samples=(9.0,)), device="NVIDIA H100 80GB HBM3", number=3)
    assert line(budget(mean=2.0, device="h100-sxm"), there).status == "over"


def test_a_kernel_on_two_devices_has_two_lines() -> None:
    runs = [run(fingerprint(), number=2, device="h100-sxm"), run(fingerprint())]
    assert len(judged([budget(mean=2.0)], runs, lambda one, run: None)) == 2


@pytest.mark.parametrize(
    ("pattern", "is_named"),
    [
        ("scale", True), ("sc*", True), ("work.py::scale", True), ("*.py::s*", True),
        ("scal", False), ("other.py::scale", False), ("Scale", False),
    ],
)  # fmt: skip
def test_names_of_kernels(pattern: str, is_named: bool) -> None:
    assert names(budget(pattern), "work.py", "scale") is is_named


def test_the_budgets_of_the_reference_kernels_are_the_documents() -> None:
    found = {
        one.pattern.removesuffix("_*"): one.mean
        for one in load_budgets(Config(), ROOT / "kernels/budgets.toml")
    }
    assert found == {
        "ar_forecast": 0.5, "lstm_cell_forward": 3.0, "pixel_entropy": 8.0, "conv2d": 2.0,
        "image_segmentation": 1.0, "dendritic_integration": 0.3, "vector_add": 0.2, "matrix_multiply": 3.0,
        "dot_product": 0.15,
    }  # fmt: skip


def test_unmatched(tmp_path: Path) -> None:
    found = line(budget("lost", mean=1.0), run(fingerprint()))
    assert (found.fingerprint, found.value, found.status) == (None, None, "no measurement")


def test_over_budget_the_largest_shape_that_keeps_it_is_named() -> None:
    small, medium, large = (
        fingerprint(samples=(time,) * 9, grid=grid) for time, grid in ((1.0, 8), (4.0, 16), (9.0, 32))
    )
    over = line(budget(mean=5.0), run(small, medium, large))
    assert (over.status, over.fitting) == ("over", (medium, 4.0))
    within = line(budget(mean=10.0), run(small, medium, large))
    assert (within.status, within.fitting) == ("within", None)
    assert line(budget(mean=0.5), run(small, large)).fitting is None
