"""Whether the child can import the main module, read from its source."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from picklecheck.model import Finding

__all__ = ["findings_for_main", "safe_to_start"]


def findings_for_main(main: ModuleType | None = None, *, start_method: str = "spawn") -> tuple[Finding, ...]:
    """Give what stops a child from importing the main module."""
    return ()


def safe_to_start(findings: Sequence[Finding]) -> bool:
    """Tell whether starting a child would not run the program."""
    return True
