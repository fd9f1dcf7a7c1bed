"""Settings that hold for every test; fixtures stand in the files that use them."""

import signal

import pytest
from hypothesis import settings

from picklecheck import mending

# how long an example takes depends on the machine: speed is measured in benchmarks/, never here
settings.register_profile("picklecheck", deadline=None)
settings.load_profile("picklecheck")

# a shell starts what it puts in the background deaf to Ctrl-C, and children inherit that; some tests send it to one
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def fixes_only_where_they_are_asked_about(request, monkeypatch):
    """Look for fixes in the tests of modules that say ``TRIES_FIXES``: each trial starts a process of its own."""
    if not getattr(request.module, "TRIES_FIXES", False):
        monkeypatch.setattr(mending, "mend", lambda failures, located, trip: mending.Mended(tuple(failures)))
