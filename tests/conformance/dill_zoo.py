"""Compares on every object of dill's zoo, in the protocols named on the command line; prints the tally as JSON.

A program of its own: importing dill changes `pickle._Pickler.dispatch`, and the zoo opens files, a socket, and a database.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import warnings

from tests.conformance.comparing import Tally

SECONDS = 20  # for one object; more, and the program says where it stands, and ends


def main() -> None:
    warnings.simplefilter("ignore")
    import dill

    dill.load_types(True, True)
    from dill import _objects

    groups = {name: dict(getattr(_objects, name)) for name in ("succeeds", "failures", "registered")}
    tally = Tally()
    for protocol in map(int, sys.argv[1:]):
        for group, objects in groups.items():
            for name, obj in objects.items():
                faulthandler.dump_traceback_later(SECONDS, exit=True)
                tally.compare(f"{group}: {name}", obj, protocol)
    faulthandler.cancel_dump_traceback_later()
    print(json.dumps({"objects": {name: len(objects) for name, objects in groups.items()}, **vars(tally)}))


if __name__ == "__main__":
    main()
