"""Settings that hold for every test; fixtures stand in the files that use them."""

from hypothesis import settings

# how long an example takes depends on the machine: speed is measured in benchmarks/, never here
settings.register_profile("picklecheck", deadline=None)
settings.load_profile("picklecheck")
