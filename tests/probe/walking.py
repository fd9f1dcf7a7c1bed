"""The pass without the rest: what a pickler refuses under an object, and by which expressions each is reached."""

import pickle

from picklecheck.paths import fold, join
from picklecheck.probe import Locator, walk


def walked(obj, base=pickle.Pickler, protocol=pickle.DEFAULT_PROTOCOL, **options):
    """Walk an object with a pickler class derived from `base`."""
    derived = type(base.__name__, (base,), {})
    return walk(obj, lambda sink: derived(sink, protocol), protocol, **options)


def refused(seen):
    """List the culprits themselves, in the order of the pass."""
    return [seen.objects[culprit.index] for culprit in seen.culprits]


def steps_of(way):
    """Give the steps of a way, folded as a report folds them."""
    return [step for step, _ in fold([step for hop in way for step in hop.steps])]


def paths_of(seen):
    """Give, for each culprit in the order of the pass, the expressions that lead to it."""
    return [[join("obj", steps_of(way)) for way in located.ways] for located in Locator(seen).culprits()]


def first_paths(obj, **options):
    """Give the first path of each culprit under an object, after trying each path that was found.

    Every path must evaluate to the culprit itself; one through a call of the reduce protocol to its like.
    """
    seen = walked(obj, **options)
    every = paths_of(seen)
    for culprit, paths in zip(refused(seen), every, strict=True):
        for path in paths:
            found = eval(path, {"obj": obj})
            if "__reduce" in path or "_table[" in path:
                assert type(found) is type(culprit), path
            else:
                assert found is culprit, path
    return [paths[0] for paths in every]
