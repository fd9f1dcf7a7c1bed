"""Values that are others in each process, or at each moment."""

from __future__ import annotations

from picklecheck.receiver.guard.values import Bound, Made, Mixed, Value

__all__ = ["varies"]

_VARYING = frozenset(
    (
        "time.time", "time.time_ns", "time.strftime", "time.localtime", "time.ctime", "datetime.datetime.now",
        "datetime.datetime.today", "datetime.datetime.utcnow", "datetime.date.today", "uuid.uuid4", "uuid.uuid1",
        "os.getpid", "secrets.token_hex", "tempfile.mktemp",
    )
)  # fmt: skip


def varies(value: Value, depth: int = 5) -> bool:
    """Tell whether a value is another one in each process: a time, a process id, or a name made of one."""
    if depth == 0:
        return False
    if isinstance(value, Made):
        return value.known.name.partition("()")[0] in _VARYING or any(
            varies(part, depth - 1) for part in value.arguments.all()
        )
    if isinstance(value, Bound):
        return varies(value.owner, depth - 1)
    if isinstance(value, Mixed):
        return any(varies(part, depth - 1) for part in value.parts)
    return False
