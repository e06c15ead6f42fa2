from dataclasses import replace
from pathlib import Path

import pytest

from advisor.model.errors import UsageError
from advisor.model.settings.config import Config, RuleSetting, cache_folder, load_config, prepare_cache_folder


def problems(start: Path, *fragments: str, isolated: bool = False) -> list[str]:
    with pytest.raises(UsageError) as caught:
        load_config(start, fragments, isolated)
    return str(caught.value).splitlines()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pkg" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_a_file_the_defaults_hold_and_the_repository_is_the_root(project: Path) -> None:
    config = load_config(project / "pkg")
    assert config == Config(root=project)
    assert (config.device, config.evidence, config.fail_level) == ("a100-80gb", "simulated", "warning")


def test_every_key_of_pyproject_is_read(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        """
[tool.advisor]
device = "h100-sxm"
evidence = "source"
select = ["memory"]
extend-select = ["spills"]
ignore = ["slow-*"]
fail-level = "error"
exclude = ["gen"]
cache-dir = "out/cache"
packs = ["rules", "more/rules"]
report-causes = 4

[tool.advisor.per-file-ignores]
"tests/*" = ["all"]

[tool.advisor.rules]
low-occupancy = { level = "off" }
spills = { level = "error", params = { floor = "35%", times = 3 } }
"""
    )
    assert replace(load_config(project / "pkg" / "deep"), places={}) == Config(
        device="h100-sxm",
        device_named=True,
        evidence="source",
        select=("memory",),
        extend_select=("spills",),
        ignore=("slow-*",),
        fail_level="error",
        exclude=("gen",),
        per_file_ignores={"tests/*": ("all",)},
        cache_dir=project / "out/cache",
        packs=("rules", "more/rules"),
        report_causes=4,
        rules={
            "low-occupancy": RuleSetting("off"),
            "spills": RuleSetting("error", {"floor": "35%", "times": "3"}),
        },
        root=project,
        file=project / "pyproject.toml",
    )


def test_the_nearest_file_wins_and_advisor_toml_comes_before_pyproject(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.advisor]\ndevice = "t4"\n')
    (project / "pkg" / "pyproject.toml").write_text('[project]\nname = "no-settings-here"\n')
    assert load_config(project / "pkg" / "deep").device == "t4"
    (project / "pkg" / "advisor.toml").write_text('device = "l4"\n')
    assert load_config(project / "pkg" / "deep").device == "l4"
    assert load_config(project).device == "t4"


def test_isolated_reads_no_file_but_fragments(project: Path) -> None:
    (project / "advisor.toml").write_text('device = "t4"\nnonsense = 1\n')
    config = load_config(project, ['fail-level="info"'], isolated=True)
    assert (config.device, config.fail_level, config.file) == ("a100-80gb", "info", None)


def test_fragments_override_single_keys(project: Path) -> None:
    (project / "advisor.toml").write_text(
        'device = "t4"\n[rules.spills]\nlevel = "info"\nparams = { a = "1", b = "2" }\n'
    )
    config = load_config(project, ['rules.spills.params.b = "3"', 'device = "v100"'])
    assert config.device == "v100"
    assert config.rules == {"spills": RuleSetting("info", {"a": "1", "b": "3"})}


def test_all_mistakes_are_named_at_once_with_their_lines(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        """[tool.other]
devise = 1

[tool.advisor]
devise = "h100"
evidence = "compild"
select = "memory"
exclude = ["a", 3]
"fail-level" = 3
per-file-ignores = ["x"]
workload-seconds = 0
report-causes = true

[tool.advisor.rules.spills]
level = "warn"
params = { floor = true }
lvl = 1
"""
    )
    assert problems(project, "cachedir='x'") == [
        "pyproject.toml:5: unknown key `devise`. Did you mean `device`?",
        "pyproject.toml:6: `evidence` must be one of source, compiled, synthesised, "
        "simulated, measured, not `compild`. "
        "Did you mean `compiled`?",
        "pyproject.toml:7: `select` must be a list of texts, not a text.",
        "pyproject.toml:8: `exclude` must be a list of texts, not a list with a number in it.",
        "pyproject.toml:9: `fail-level` must be a text in quotes, not a number.",
        "pyproject.toml:10: `per-file-ignores` must be a table, not a list.",
        "pyproject.toml:11: `workload-seconds` must be a number of seconds above 0.",
        "pyproject.toml:12: `report-causes` must be a whole number above 0.",
        "pyproject.toml:15: `rules.spills.level` must be one of info, warning, error, off, not `warn`. "
        "Did you mean `warning`?",
        "pyproject.toml:16: `rules.spills.params.floor` must be a text in quotes, not a truth value.",
        "pyproject.toml:17: unknown key `lvl` of rule `spills`. Did you mean `level`?",
        "--config \"cachedir='x'\": unknown key `cachedir`. Did you mean `cache-dir`?",
    ]


def test_invalid_toml_is_reported_with_its_place(project: Path) -> None:
    (project / "advisor.toml").write_text('device = "t4"\nselect = [\n')
    (message,) = problems(project)
    assert message.startswith("advisor.toml: is not valid TOML: ")
    assert "line" in message or "end of document" in message


def test_a_broken_pyproject_matters_only_when_it_speaks_of_advisor(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project\nname = 'advisor-like'\n")
    assert load_config(project).file is None
    (project / "pyproject.toml").write_text("[tool.advisor]\ndevice = \n")
    assert problems(project)[0].startswith("pyproject.toml: is not valid TOML")


def test_a_fragment_without_quotes_says_how_to_write_it(project: Path) -> None:
    (message,) = problems(project, "device=h100")
    assert "Text needs quotes: --config 'device=\"h100\"'." in message


@pytest.mark.parametrize("content", [b"device = '\xff'\n", b"tool = 3\n"])
def test_a_file_that_is_not_a_configuration_is_a_usage_error(project: Path, content: bytes) -> None:
    (project / "advisor.toml").write_bytes(content)
    assert problems(project)[0].startswith("advisor.toml")


def test_tool_advisor_that_is_no_table(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool]\nadvisor = 3\n")
    assert problems(project) == ["pyproject.toml: `tool.advisor` must be a table."]


def test_a_word_of_many_letters_is_searched_in_no_time(project: Path) -> None:
    (project / "advisor.toml").write_text(f'device = """\n{"a" * 5000}\n"""\nselect = 3\n')
    assert problems(project) == ["advisor.toml:4: `select` must be a list of texts, not a number."]


def test_per_file_ignores_follow_the_root_and_not_the_working_directory(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = Config(root=project, per_file_ignores={"pkg/*.py": ("a", "b"), "deep": ("c",)})
    assert config.ignored_in(Path("pkg/x.py")) == ("a", "b")
    assert config.ignored_in(Path("x.py")) == ()
    monkeypatch.chdir(project / "pkg")
    assert config.ignored_in(Path("x.py")) == ("a", "b")
    assert config.ignored_in(Path("deep/x.py")) == ("c",)
    assert config.ignored_in(project.parent / "pkg" / "x.py") == ()


def test_the_cache_folder_lies_beside_the_project_and_is_ignored_by_git(project: Path) -> None:
    folder = prepare_cache_folder(Config(root=project))
    assert folder == project / ".advisor" / "cache"
    assert (project / ".advisor" / ".gitignore").read_text() == "*\n"
    assert list(folder.iterdir()) == []


def test_an_existing_folder_of_the_user_gets_no_gitignore(project: Path) -> None:
    (project / "mine").mkdir()
    assert prepare_cache_folder(Config(root=project, cache_dir=project / "mine")) == project / "mine"
    assert list((project / "mine").iterdir()) == []


def test_where_no_folder_can_be_made_there_is_no_cache(project: Path) -> None:
    (project / ".advisor").write_text("a file of the user's")
    assert prepare_cache_folder(Config(root=project)) is None
    assert (project / ".advisor").read_text() == "a file of the user's"
    assert cache_folder(Config(root=project)) == project / ".advisor" / "cache"


def test_limits_of_gains_stand_beside_the_levels_of_circumstances(project: Path) -> None:
    config = load_config(project, ["policy.negligible-gain=1.2", 'policy.test-kernel="same"'])
    assert dict(config.policy) == {"negligible-gain": 1.2, "test-kernel": "same"}
    (problem,) = problems(project, "policy.considerable-gain=0.5")
    assert problem.endswith("`policy.considerable-gain` must be a number from 1, not `0.5`.")
    (problem,) = problems(project, 'policy.negligible-gain="same"')
    assert problem.endswith("`policy.negligible-gain` must be a number from 1, not `same`.")


def test_a_device_is_named_even_where_it_is_the_usual_one(project: Path) -> None:
    assert not load_config(project).device_named
    assert load_config(project, ['device="a100-80gb"']).device_named
