"""The pass over an object graph with the transport's own pickler, and the paths of what it refuses."""

from picklecheck.probe.deadline import NoAnswer
from picklecheck.probe.fleeting import fleeting
from picklecheck.probe.locate import Located, Locator, Way
from picklecheck.probe.naming import Hop
from picklecheck.probe.reducing import UNSEEN, Invalid
from picklecheck.probe.rehearsal import Rehearsal, rehearse
from picklecheck.probe.replay import Replay, replay
from picklecheck.probe.walk import Culprit, Sink, Walk, collector_off, walk, words_for

__all__ = [
    "UNSEEN",
    "Culprit",
    "Hop",
    "Invalid",
    "Located",
    "Locator",
    "NoAnswer",
    "Rehearsal",
    "Replay",
    "Sink",
    "Walk",
    "Way",
    "collector_off",
    "fleeting",
    "rehearse",
    "replay",
    "walk",
    "words_for",
]
