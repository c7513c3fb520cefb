"""Predefined registers that tell of the machine, and not of the program (PTX ISA, "Special Registers")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MACHINE_REGISTERS: Final[Mapping[str, tuple[str, int]]] = {
    "%clock": ("clock", 32),
    "%clock_hi": ("ptx.clock_hi", 32),
    "%clock64": ("clock64", 64),
    "%globaltimer": ("__globaltimer", 64),
    "%globaltimer_lo": ("ptx.globaltimer_lo", 32),
    "%globaltimer_hi": ("ptx.globaltimer_hi", 32),
    "%smid": ("__smid", 32),
    "%nsmid": ("ptx.nsmid", 32),
    "%nwarpid": ("ptx.nwarpid", 32),
    "%gridid": ("ptx.gridid", 64),
    "%total_smem_size": ("ptx.total_smem_size", 32),
    "%aggr_smem_size": ("ptx.aggr_smem_size", 32),
    "%dynamic_smem_size": ("ptx.dynamic_smem_size", 32),
    **{f"%pm{n}": (f"ptx.pm{n}", 32) for n in range(8)},
    **{f"%pm{n}_64": (f"ptx.pm{n}_64", 64) for n in range(8)},
    **{f"%envreg{n}": (f"ptx.envreg{n}", 32) for n in range(32)},
}
"""By register: the device function that reads it, or the name that stands for one, and the bits of the result."""
