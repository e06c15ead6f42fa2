"""Code of the workspace runs only where its user, or who started the server, consented."""

from pathlib import Path

import pytest

pytest.importorskip("mcp")

from served_tools import KERNEL, PROTOCOLS, answers

# Whoever runs this file leaves a trace.
_TRACED = KERNEL + "\n\nopen('ran', 'a').close()\n"
_RUNNING = (
    ("simulate", {"paths": ["rows.py"]}),
    ("verify", {"paths": ["rows.py"]}),
    ("check", {"paths": ["rows.py"], "run_code": True}),
    ("explain", {"name": "rows.py::copy_rows", "run_code": True}),
    (
        "what_if",
        {"edits": [{"path": "rows.py", "old": "grid(1)", "text": "grid(1) + 0"}], "run_code": True},
    ),
)


@pytest.fixture
def traced(plain_project: Path) -> Path:
    project = plain_project
    (project / "rows.py").write_text(_TRACED.replace("'ran'", repr(str(project / "ran"))))
    return project


def _has_run(project: Path) -> bool:
    return (project / "ran").exists()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_without_anybody_to_ask_nothing_runs(traced: Path, protocol: str) -> None:
    for answer in answers(traced, _RUNNING, protocol_of=protocol):
        assert answer.failed
        assert "not run without consent: start the server with `advisor mcp --allow-run`" in answer.text
    assert not _has_run(traced)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_who_declines_is_obeyed(traced: Path, protocol: str, action: str) -> None:
    asked: list[str] = []

    def user(question: str) -> tuple[str, bool]:
        asked.append(question)
        return action, False

    for answer in answers(traced, _RUNNING[:2], user=user, protocol_of=protocol):
        assert answer.failed and "The user did not consent" in answer.text
    assert len(asked) == 2 and not _has_run(traced)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_who_is_asked_learns_what_would_run(traced: Path, protocol: str) -> None:
    asked: list[str] = []

    def user(question: str) -> tuple[str, bool]:
        asked.append(question)
        return "accept", False

    edits = [{"path": "rows.py", "old": "np.ones", "text": "np.zeros"}]
    calls = [("verify", {"paths": ["rows.py"], "edits": edits})]
    (verified,) = answers(traced, calls, user=user, protocol_of=protocol)
    assert not verified.failed and _has_run(traced)
    assert verified.content["proofs"][0]["verdict"] == "results differ" and not verified.content["proven"]
    assert len(asked) == 1
    assert "functions `workload`" in asked[0] and "rows.py" in asked[0] and "np.zeros" in asked[0]


def test_a_consent_is_for_once_unless_it_is_given_for_the_session(traced: Path) -> None:
    # The question does not depend on what there is to run.
    (traced / "empty.py").write_text("SIZE = 1\n")
    calls = [("check", {"paths": ["empty.py"], "run_code": True})] * 2
    for for_good, expected in ((False, 2), (True, 1)):
        asked: list[str] = []

        def user(question: str, asked: list[str] = asked, for_good: bool = for_good) -> tuple[str, bool]:
            asked.append(question)
            return "accept", for_good

        assert not any(one.failed for one in answers(traced, calls, user=user))
        assert len(asked) == expected


def test_who_starts_the_server_may_consent_beforehand(traced: Path) -> None:
    (simulated,) = answers(traced, _RUNNING[:1], "--allow-run")
    assert _has_run(traced)
    (kernel,) = simulated.content["kernels"]
    assert (kernel["kernel"], kernel["grid"], kernel["block"]) == ("copy_rows", [32, 1, 1], [256, 1, 1])
    numbers = {one["name"]: (one["value"], one["unit"]) for one in kernel["numbers"]}
    # Each lane has a row of its own: 32 sectors where 4 would do.
    assert numbers["global_sectors_per_request"] == (32.0, "sectors/request")
    assert kernel["predicted_ms"] > 0 and kernel["limited_by"]


def test_reading_never_asks_and_never_runs(traced: Path) -> None:
    calls = [
        ("check", {"paths": ["rows.py"]}),
        ("explain", {"name": "rows.py::copy_rows"}),
        ("what_if", {"edits": [{"path": "rows.py", "old": "grid(1)", "text": "grid(1) + 0"}]}),
    ]
    assert not any(one.failed for one in answers(traced, calls))
    assert not _has_run(traced)
