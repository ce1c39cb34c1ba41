"""A trial project: an authority and everybody's certificates and tokens."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from memory_unit import MemoryUnit
from trial_certificates import Identity, TrialAuthority

from unveil.protocol.roles import Role
from unveil.transport.port import Caller


@dataclass
class Trial:
    """Everybody's certificates; project "alpha" has an owner "north" and the three units, "beta" an owner "south"."""

    folder: Path
    authority: TrialAuthority
    stranger_authority: TrialAuthority
    parties: dict[str, Identity]

    def unit(self, role: Role) -> MemoryUnit:
        """A unit that knows everybody."""
        unit = MemoryUnit(role)
        for name, identity in self.parties.items():
            project = "beta" if name == "south" else "alpha"
            caller = Caller(name) if name.endswith("unit") else Caller("owner", name)
            unit.keys[identity.public_key] = (project, caller)
        far = time.time() + 3600
        unit.tokens = {
            "operator-token": ("alpha", Caller("operator", "olga"), far),
            "reviewer-token": ("alpha", Caller("reviewer", "rita"), far),
            "beta-token": ("beta", Caller("operator", "otto"), far),
            "expired-token": ("alpha", Caller("operator", "old"), time.time() - 1),
        }
        return unit
