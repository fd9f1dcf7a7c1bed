"""The pass over an object graph with the transport's own pickler, and the paths of what it refuses."""

from picklecheck.probe.locate import Located, Locator, Way
from picklecheck.probe.reducing import Invalid
from picklecheck.probe.walk import Culprit, Walk, collector_off, walk

__all__ = ["Culprit", "Invalid", "Located", "Locator", "Walk", "Way", "collector_off", "walk"]
