"""The other side: a real child, started as spawn starts one, that unpickles what the sender has pickled."""

from picklecheck.receiver.answers import Answer
from picklecheck.receiver.launch import send
from picklecheck.receiver.main_module import findings_for_main, safe_to_start
from picklecheck.receiver.preparation import NotPossible
from picklecheck.receiver.trouble import Trouble, not_started

__all__ = ["Answer", "NotPossible", "Trouble", "findings_for_main", "not_started", "safe_to_start", "send"]
