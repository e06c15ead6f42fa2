"""Rule files that tests open in the editor."""

from __future__ import annotations

_ROW = 'k.debug_enabled = false, a1.space = "global", a1.loop_depth = 2'
HUNGRY = """\
/// Registers allow fewer blocks than the multiprocessor could hold.
rule hungry-kernel "Hungry kernel" {
  for each kernel k
  param most = 128 range 32 .. 255 "the house rule"
  let waste = 1 - k.theoretical_occupancy

  when k.registers > most
   and k.theoretical_occupancy < 50%
   and some access a of k has (a.space = "global" and a.loop_depth >= 1)
  unless k.debug_enabled because "a debug build needs more"

  severity warning, info when assumed  confidence high  effort medium
  say "{k} uses {k.registers} registers, more than {most}; {waste} of the warp slots stay empty."
  why "Registers are shared by all resident warps of a multiprocessor."
  try "Split the kernel."
      "Recompute cheap values instead of keeping them."
  gain at most waste
  source "CUDA C++ Best Practices Guide" at "Register Pressure"
  covers low_occupancy
  see block-too-small

  example fires "hungry" { k.registers = 200, k.theoretical_occupancy = 25%, MORE }
  example silent "modest" { k.registers = 40, k.theoretical_occupancy = 100% }
  example unknown "not compiled" { k.registers = missing, k.theoretical_occupancy = missing, MORE }
}
""".replace("MORE", _ROW)
# The same with another name for the parameter.
LIMITED = HUNGRY.replace("most", "limit").replace("at limit", "at most")
