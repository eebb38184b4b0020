"""Settings of an import."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Settings of an import."""

    # Linear deflection (mm) and angular deflection (radians) for the mesher.
    deflection: float = 0.05
    angle: float = 0.3
    # Take surfaces without a volume as parts, too.
    open_shells: bool = False
