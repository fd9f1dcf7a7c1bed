"""What lies in a large box: found slice by slice, and in the right places whatever order the slices come in."""

import threading

import pytest

import picklecheck
from picklecheck.probe import contents as module
from picklecheck.probe.contents import contents

COUNT = 6_000  # more than is read by a loop


def table():
    return [[number, None] for number in range(COUNT)]


def opened(box, locks, along):
    found = contents([box], {id(lock): index for index, lock in enumerate(locks)}, along)
    found.find(0)
    return found


@pytest.mark.parametrize("row", [0, 1, COUNT // 2, COUNT - 1])
def test_a_lock_is_found_where_it_is_said_to_lie_with_few_slices(row):
    box, lock = table(), threading.Lock()
    box[row][1] = lock
    found = opened(box, [lock], lambda index: row / COUNT)
    assert [[spot for _, spot in place] for place in found.places(0)] == [[0, row, 1]]
    assert len(found._slicer.last) <= module._NEAR


def test_a_lock_that_lies_elsewhere_is_found_by_all_slices():
    box, lock = table(), threading.Lock()
    box[10][1] = lock
    found = opened(box, [lock], lambda index: 1.0)
    assert not found.find(0)
    found.reach(0)
    assert [[spot for _, spot in place] for place in found.places(0)] == [[0, 10, 1]]


def test_what_lies_in_two_slices_is_found_in_both_whichever_came_first():
    box, lock = table(), threading.Lock()
    box[10][1] = box[COUNT - 10][1] = lock
    found = opened(box, [lock], lambda index: 1.0)
    found.reach(float("inf"))
    places = sorted([spot for _, spot in place] for place in found.places(0))
    assert places == [[0, 10, 1], [0, COUNT - 10, 1]]


@pytest.mark.parametrize("rows", [(0,), (3, COUNT - 1), (COUNT // 3, COUNT // 2, COUNT - 2)])
def test_paths_through_a_large_nest(rows):
    box = table()
    locks = [threading.Lock() for _ in rows]
    for row, lock in zip(rows, locks, strict=True):
        box[row][1] = lock
    report = picklecheck.explain(box, name="obj", via="pickle", roundtrip=False)
    assert [failure.path for failure in report.failures] == [f"obj[{row}][1]" for row in rows]


def test_a_nest_that_goes_deeper_and_deeper_is_not_dumped_again_for_each_level(monkeypatch):
    dumped = []
    dump = module._Slicer.dump_slice
    monkeypatch.setattr(module._Slicer, "dump_slice", lambda self, *given: (dumped.append(1), dump(self, *given)))
    box = [threading.Lock()]
    for _ in range(300):
        box = [[[number] for number in range(30)], box]
    report = picklecheck.explain(box, name="obj", via="pickle", roundtrip=False)
    assert [failure.kind for failure in report.failures] == ["lock"]
    assert eval(report.failures[0].path, {"obj": box}) is report.failures[0].obj
    assert len(dumped) <= 64 * (module._SKEWED_AT_MOST + 3)
