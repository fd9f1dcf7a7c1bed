"""Settings that hold for every test; fixtures stand in the files that use them."""

import signal

from hypothesis import settings

# how long an example takes depends on the machine: speed is measured in benchmarks/, never here
settings.register_profile("picklecheck", deadline=None)
settings.load_profile("picklecheck")

# a shell starts what it puts in the background deaf to Ctrl-C, and children inherit that; some tests send it to one
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
