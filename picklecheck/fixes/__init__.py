"""Fixes: code that makes a culprit cross, as edits to the user's source files, one recipe or more for each kind."""

from picklecheck.fixes.base import Change, Check, Made, Named, Remedy, Spot
from picklecheck.fixes.classfile import class_file
from picklecheck.fixes.plan import Plan, keys_of, plan
from picklecheck.fixes.registry import NO_RECIPE, remedy_for
from picklecheck.fixes.sender import Sender
from picklecheck.fixes.setting import is_librarys_own

__all__ = [
    "NO_RECIPE",
    "Change",
    "Check",
    "Made",
    "Named",
    "Plan",
    "Remedy",
    "Sender",
    "Spot",
    "class_file",
    "is_librarys_own",
    "keys_of",
    "plan",
    "remedy_for",
]
