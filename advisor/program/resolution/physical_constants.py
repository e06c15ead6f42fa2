"""The constants of physics that scientific code imports from `scipy.constants`."""

from __future__ import annotations

import math

# CODATA 2018 values in SI units, https://physics.nist.gov/cuu/Constants/; c, e, h, k and N_A are exact.
_SPEED_OF_LIGHT = 299792458.0
_ELEMENTARY_CHARGE = 1.602176634e-19
_PLANCK = 6.62607015e-34
_BOLTZMANN = 1.380649e-23
_AVOGADRO = 6.02214076e23

_VALUES = {
    "pi": math.pi,
    "golden": (1 + math.sqrt(5)) / 2,
    "c": _SPEED_OF_LIGHT,
    "speed_of_light": _SPEED_OF_LIGHT,
    "e": _ELEMENTARY_CHARGE,
    "elementary_charge": _ELEMENTARY_CHARGE,
    "eV": _ELEMENTARY_CHARGE,
    "electron_volt": _ELEMENTARY_CHARGE,
    "h": _PLANCK,
    "Planck": _PLANCK,
    "hbar": _PLANCK / (2 * math.pi),
    "k": _BOLTZMANN,
    "Boltzmann": _BOLTZMANN,
    "N_A": _AVOGADRO,
    "Avogadro": _AVOGADRO,
    "R": _AVOGADRO * _BOLTZMANN,
    "gas_constant": _AVOGADRO * _BOLTZMANN,
    "epsilon_0": 8.8541878128e-12,
    "mu_0": 1.25663706212e-6,
    "G": 6.67430e-11,
    "gravitational_constant": 6.67430e-11,
    "g": 9.80665,
    "alpha": 7.2973525693e-3,
    "fine_structure": 7.2973525693e-3,
    "sigma": 5.670374419e-8,
    "Stefan_Boltzmann": 5.670374419e-8,
    "m_e": 9.1093837015e-31,
    "electron_mass": 9.1093837015e-31,
    "m_p": 1.67262192369e-27,
    "proton_mass": 1.67262192369e-27,
    "m_n": 1.67492749804e-27,
    "neutron_mass": 1.67492749804e-27,
    "m_u": 1.66053906660e-27,
    "atomic_mass": 1.66053906660e-27,
}

# Entries of `scipy.constants.physical_constants`: value, unit and uncertainty, from the same source.
_TABLE = {
    "classical electron radius": (2.8179403262e-15, "m", 1.3e-24),
    "Bohr radius": (5.29177210903e-11, "m", 8e-21),
    "atomic unit of electric field": (5.14220674763e11, "V m^-1", 78.0),
    "fine-structure constant": (7.2973525693e-3, "", 1.1e-12),
    "speed of light in vacuum": (_SPEED_OF_LIGHT, "m s^-1", 0.0),
}


def physical_constant(name: str) -> object | None:
    """The value of a name of `scipy.constants` in SI units, None for names that are not in the table."""
    return _TABLE if name == "physical_constants" else _VALUES.get(name)
