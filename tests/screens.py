"""Screens that are compared with files; PICKLECHECK_REFRESH_GOLDEN=1 writes them anew, to be looked at by a person."""

import os
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"
REFRESH = "PICKLECHECK_REFRESH_GOLDEN"


def same_as_file(name, text):
    """Compare a screen with the file of that name."""
    path = GOLDEN / name
    if os.environ.get(REFRESH):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    assert text + "\n" == path.read_text(encoding="utf-8"), (
        f"{path.name} shows another screen; {REFRESH}=1 writes it anew"
    )
