"""The pass over an object graph with the transport's own pickler, and the paths of what it refuses."""

from picklecheck.probe.locate import Located, Way, deepest_way, locate, way_to
from picklecheck.probe.reducing import Invalid
from picklecheck.probe.walk import Culprit, Walk, walk

__all__ = ["Culprit", "Invalid", "Located", "Walk", "Way", "deepest_way", "locate", "walk", "way_to"]
