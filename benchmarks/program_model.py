"""How often the program model answers questions about generated programs, and that no answer is wrong.

    python benchmarks/program_model.py [--programs 100000] [--first 0] [--question definitions]

Programs are those of `tests/program/`, from a seed on, as many for each question. Each is run by CPython with
recording stand-ins, and what it does is compared with the model's answers. A wrong answer is shown; the exit
status is 1 where there was one.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/program/against_runs"), str(ROOT)]

from answers import Answers, Oracle  # noqa: E402
from constant_oracle import constants_of_a_program  # noqa: E402
from effect_oracle import effects_of_a_program  # noqa: E402
from flow_oracle import definitions_of_a_program  # noqa: E402
from launch_oracle import arrays_of_a_program, launches_of_a_program  # noqa: E402

QUESTIONS: dict[str, Oracle] = {
    "definitions": definitions_of_a_program,
    "constants": constants_of_a_program,
    "effects": effects_of_a_program,
    "launches": launches_of_a_program,
    "arrays": arrays_of_a_program,
}
_MOST_SHOWN = 3


def main() -> int:
    """1 where an answer was wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--question", choices=list(QUESTIONS), action="append")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    asked = given.question or list(QUESTIONS)
    wrong = sum(_ask(one, given.first, given.programs // len(asked)) for one in asked)
    return 1 if wrong else 0


def _ask(question: str, first: int, programs: int) -> int:
    """Print the answers to one question; how many were wrong."""
    every, begun = Answers(), time.process_time()
    for seed in range(first, first + programs):
        answers = QUESTIONS[question](Random(seed))
        for text in answers.wrong if len(every.wrong) < _MOST_SHOWN else ():
            print(f"--- seed {seed}: {text}", flush=True)
        every.add(answers)
    seconds = time.process_time() - begun
    print(
        f"{question}: {programs} programs, {programs / seconds:.0f} in a second of processor time, "
        f"{len(every.wrong)} wrong answers"
    )
    for kind, count in sorted(every.asked.items()):
        print(f"  {kind}: {every.known[kind]} of {count} known ({every.known[kind] / count:.1%})")
    sys.stdout.flush()
    return len(every.wrong)


if __name__ == "__main__":
    sys.exit(main())
