"""A kernel, a rule that finds it, and projects with packs of such rules."""

from __future__ import annotations

from pathlib import Path

KERNEL = """\
from numba import cuda


@cuda.jit
def every_fourth(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[4 * i]
"""
RULE = """\
/// Half of each sector is wasted.
rule {name} "House stride" {{
  for each access a of kernel k
  param most = 10 sectors/request range 4 sectors/request .. 32 sectors/request "the house rule"

  when a.sectors_per_request > most

  severity warning  confidence high  effort low
  say "{{a.array}} needs {{a.sectors_per_request}}."
  why "Sectors are moved whole."
  try "Use neighbouring elements."
  source "House rules" at "Strides"

  example fires "every fourth" {{ a.sectors_per_request = 16 sectors/request }}
  example silent "every second" {{ a.sectors_per_request = 8 sectors/request }}
}}
"""


def write_pack(folder: Path, name: str = "house-stride", more: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.rules").write_text(RULE.format(name=name))
    (folder / "pack.rules").write_text(f'edition 1\npack "{folder.name}" version "1.0.0"\n{more}')


def configure(project: Path, text: str) -> None:
    (project / "advisor.toml").write_text(f'evidence = "source"\n{text}\n')
