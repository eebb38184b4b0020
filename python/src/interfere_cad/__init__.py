"""Imports STEP, IGES and BREP for `interfere`, and checks CadQuery and build123d assemblies."""

__version__ = "0.1.0"

from .checking import CheckError, Pair, Report, check
from .errors import Refused
from .objects import write_assembly

__all__ = ["CheckError", "Pair", "Refused", "Report", "check", "write_assembly"]
