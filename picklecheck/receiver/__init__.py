"""The other side: whether a child can start, and whether it can unpickle what it gets."""
