"""Checks an assembly object with the program `interfere`: a report of its pairs, for tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .errors import Refused
from .objects import write_assembly

FINDINGS = ("interference", "too_close", "undecided")


class CheckError(Exception):
    """`interfere` gave no verdict, or is absent; the text holds its messages."""


@dataclass(frozen=True)
class Pair:
    """One pair of instances. Lengths in mm, in the frame of the assembly; `None` where the run has no value."""

    a: str
    b: str
    # interference, too_close, undecided, allowed, contact or clear.
    status: str
    # error or warning for a finding.
    severity: str | None
    # Signed distance: negative for an overlap.
    gap: float | None
    # Certified lower and upper bound of the gap.
    gap_bounds: tuple[float, float] | None
    # Diameter of the largest ball in both solids.
    depth: float | None
    # Volume of the common solid (mm³).
    volume: float | None
    # Middle of the overlap, or of the two closest points.
    at: tuple[float, float, float] | None
    # Translation of b that separates the pair.
    translation: tuple[float, float, float] | None
    # Reason of the matching rule.
    reason: str | None
    # Hash of both ids, as in reports and baselines.
    id: str

    @property
    def fails(self) -> bool:
        """True for a finding with severity error."""
        return self.status in FINDINGS and self.severity == "error"

    def __str__(self) -> str:
        depth = f", {self.depth:.4g} mm deep" if self.depth else ""
        return f"{self.a} × {self.b}: {self.status}{depth}"


@dataclass(frozen=True)
class Report:
    """Answer of a check."""

    # All pairs except the clear and ignored ones; with `report_within` also the close clear ones.
    pairs: list[Pair]
    # Number of pairs of each status.
    counts: dict[str, int]
    # Codes and messages of the warnings.
    warnings: list[tuple[str, str]]
    # The JSON report.
    json: dict

    @property
    def fails(self) -> list[Pair]:
        """The failing pairs: `assert not report.fails`."""
        return [pair for pair in self.pairs if pair.fails]

    def pair(self, a: str, b: str) -> Pair | None:
        """Returns the pair of two ids, in either order; `None` for a clear or ignored pair."""
        return next((p for p in self.pairs if {p.a, p.b} == {a, b}), None)


def check(
    assembly,
    tolerance: float | None = None,
    rules=(),
    *,
    deflection: float = 0.05,
    angle: float = 0.3,
    report_within: float | None = None,
    program: str | None = None,
    timeout: float | None = None,
) -> Report:
    """Checks a CadQuery or build123d assembly, or the items of `write_assembly`.

    `tolerance` and `report_within` in mm; `rules` are dicts as in an assembly file, such as
    `{"between": ["pin-*", "plate"], "allow_depth": 0.05, "reason": "press fit"}`. Ids are the names from below the
    root, joined by dots. `program` is the path of `interfere`; else the variable `INTERFERE`, else the one on `PATH`.
    `timeout` in seconds.

    Raises `CheckError` without a verdict: the program is absent, a rule is wrong, there is no pair. Raises `Refused`
    for shapes that give no mesh. Cost: meshing, and the run of the program.
    """
    found = program or os.environ.get("INTERFERE") or shutil.which("interfere")
    if not found:
        raise CheckError("the program `interfere` is not on PATH; install it, or name it by `program` or `INTERFERE`")
    with tempfile.TemporaryDirectory(prefix="interfere-") as folder:
        design = Path(folder) / "design"
        write_assembly(design, assembly, deflection, angle, name="design")
        file = design / "assembly.json"
        content = json.loads(file.read_text(encoding="utf-8"))
        content.update({"rules": list(rules)} | ({} if tolerance is None else {"tolerance": tolerance}))
        file.write_text(json.dumps(content), encoding="utf-8")
        more = [] if report_within is None else ["--report-within", f"{report_within!r}mm"]
        command = [found, "check", str(file), "--format", "json", "--no-baseline", "--quiet", *more]
        try:
            run = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=timeout, check=False)
        except OSError as error:
            raise CheckError(f"{found}: {error.strerror}") from error
        except subprocess.TimeoutExpired as error:
            raise CheckError(f"{found} gave no verdict within {timeout} s") from error
    if run.returncode not in (0, 1):
        raise CheckError(run.stderr.decode("utf-8", "replace").strip() or f"{found} ended with {run.returncode}")
    report = report_of(json.loads(run.stdout))
    if bool(report.fails) != (run.returncode == 1):
        raise CheckError(f"exit code {run.returncode} of {found} disagrees with its report")
    return report


def report_of(content: dict) -> Report:
    """Makes a report of the JSON of `interfere check`; lengths are in mm, as `check` writes them."""
    pairs = [
        Pair(
            p["a"],
            p["b"],
            p["status"],
            p["severity"],
            p["gap"],
            _tuple(p["gap_bracket"]),
            p["overlap_depth"],
            p["overlap_volume"],
            _tuple(p["at"]),
            _tuple(p["separating_translation"]),
            (p["rule"] or {}).get("reason"),
            p["id"],
        )
        for p in content["pairs"]
    ]
    warnings = [(w["code"], w["message"]) for w in content["warnings"]]
    return Report(pairs, content["summary"]["counts"], warnings, content)


def _tuple(values):
    return None if values is None else tuple(values)


__all__ = ["CheckError", "Pair", "Refused", "Report", "check", "report_of"]
