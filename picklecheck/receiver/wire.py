"""Messages between the two sides: JSON behind its length, and payloads of a length that a message has told.

The sender never unpickles what the child says.
"""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Iterable
from typing import Any

__all__ = ["CHECK", "KILL", "PRELOAD", "Gone", "Late", "Wire"]

# the words that the sender says to a child that forks: a trial, with its connection; end it; import something
CHECK, KILL, PRELOAD = b"C", b"K", b"P"
_LENGTH = 8
_MOST = 64 << 20  # of an answer


class Gone(Exception):
    """The other side has ended, or says what is no message."""


class Late(Exception):
    """The time is over."""


class Wire:
    """One end of a connection.

    Args:
        sock: the socket; it is closed with the wire.
        also: another socket, on which something can be read when the other side is about to end.
    """

    def __init__(self, sock: socket.socket, also: socket.socket | None = None) -> None:
        self.sock = sock
        self._also = also

    def send(self, message: dict[str, Any], until: float | None = None) -> None:
        """Send a message.

        Args:
            message: of JSON types.
            until: when to give up (`time.monotonic`); None: never.

        Raises:
            Gone: nobody reads any more.
            Late: it is later than that.
        """
        text = json.dumps(message).encode()
        self.send_bytes([len(text).to_bytes(_LENGTH, "big"), text], until)

    def send_bytes(self, pieces: Iterable[bytes], until: float | None = None) -> None:
        """Send bytes as they are; the exceptions are those of `send`."""
        try:
            for piece in pieces:
                self._set_limit(until)
                self.sock.sendall(piece)
        except TimeoutError:
            raise Late from None
        except OSError:
            raise Gone from None

    def receive(self, until: float | None = None) -> dict[str, Any]:
        """Wait for a message.

        Raises:
            Gone: the other side has ended, or this is no message.
            Late: it is later than `until`.
        """
        length = int.from_bytes(self.receive_bytes(_LENGTH, until), "big")
        if length > _MOST:
            raise Gone
        try:
            message = json.loads(self.receive_bytes(length, until))
        except ValueError:
            raise Gone from None
        if not isinstance(message, dict):
            raise Gone
        return message

    def receive_bytes(self, length: int, until: float | None = None) -> bytes:
        """Wait for so many bytes; the exceptions are those of `receive`."""
        data = bytearray(length)
        view, at = memoryview(data), 0
        try:
            while at < length:
                self._wait(until)
                self._set_limit(until)
                count = self.sock.recv_into(view[at:])
                if not count:
                    raise Gone
                at += count
        except TimeoutError:
            raise Late from None
        except OSError:
            raise Gone from None
        return bytes(data)

    def _wait(self, until: float | None) -> None:
        """Wait until there is something to read, or the other side is known to have ended."""
        if self._also is None:
            return
        rest = None if until is None else max(0.0, until - time.monotonic())
        ready = select.select([self.sock, self._also], [], [], rest)[0]
        if self.sock in ready:
            return
        # what ended may have written just before it did, so look once more
        if not ready or not select.select([self.sock], [], [], 0)[0]:
            raise Gone if ready else Late

    def _set_limit(self, until: float | None) -> None:
        if until is None:
            self.sock.settimeout(None)
            return
        rest = until - time.monotonic()
        if rest <= 0:
            raise Late
        self.sock.settimeout(rest)

    def close(self) -> None:
        """Close the socket."""
        self.sock.close()
