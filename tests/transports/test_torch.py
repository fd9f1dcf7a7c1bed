"""The stand-ins refuse what torch's own reducers refuse, and share nothing. Tried on throw-away tensors."""

import os
import warnings
from multiprocessing import resource_sharer
from multiprocessing.reduction import ForkingPickler

import pytest

from picklecheck import explain
from picklecheck.transports.torch import stand_in
from tests.specimens import Box

torch = pytest.importorskip("torch")
# prototypes and deprecated types warn when they are made, and when torch itself pickles them
pytestmark = pytest.mark.filterwarnings("ignore")


def graph():
    return torch.ones(3, requires_grad=True)


def sparse(layout):
    return getattr(torch.eye(4), f"to_sparse{layout}")()


def _with_hook():
    tensor = torch.ones(3, requires_grad=True)
    tensor.register_hook(lambda gradient: gradient)
    return tensor


def _with_attribute():
    tensor = torch.ones(3)
    tensor.note = "kept"
    return tensor


MADE = {
    "leaf": lambda: torch.ones(3),
    "leaf-with-gradient": graph,
    "non-leaf": lambda: graph() * 2,
    "non-leaf-detached": lambda: torch.Tensor.detach(graph() * 2),
    "view": lambda: torch.ones(10)[2:5],
    "view-of-non-leaf": lambda: (graph() * 2)[1:],
    "transposed": lambda: torch.ones(3, 4).t(),
    "expanded": lambda: torch.ones(1).expand(1000),
    "empty": lambda: torch.empty(0),
    "scalar": lambda: torch.tensor(1.0),
    "parameter": lambda: torch.nn.Parameter(torch.ones(2)),
    "frozen-parameter": lambda: torch.nn.Parameter(torch.ones(2), requires_grad=False),
    "buffer": lambda: torch.nn.Buffer(torch.ones(2)),
    "module": lambda: torch.nn.Linear(2, 2),
    "sparse": lambda: sparse(""),
    "sparse-csr": lambda: sparse("_csr"),
    "sparse-csc": lambda: sparse("_csc"),
    "sparse-non-leaf": (graph() * 2).to_sparse,
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "nested-jagged": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
    "meta": lambda: torch.ones(3, device="meta"),
    "meta-parameter": lambda: torch.nn.Parameter(torch.ones(3, device="meta")),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
    "complex": lambda: torch.ones(2, dtype=torch.complex64),
    "conjugate": lambda: torch.ones(2, dtype=torch.complex64).conj(),
    "half": lambda: torch.ones(2, dtype=torch.bfloat16),
    "with-hook": _with_hook,
    "with-attribute": _with_attribute,
    "storage": lambda: torch.ones(3).untyped_storage(),
    "empty-storage": lambda: torch.empty(0).untyped_storage(),
    "meta-storage": lambda: torch.ones(3, device="meta").untyped_storage(),
    "typed-storage": lambda: torch.ones(3).storage(),
    "float-storage": lambda: torch.FloatStorage(3),
    "size": lambda: torch.ones(2, 3).size(),
    "dtype": lambda: [torch.float32, torch.strided, torch.device("cpu"), torch.preserve_format],
    "generator": torch.Generator,
    "dataset": lambda: torch.utils.data.TensorDataset(torch.ones(3)),
}


@pytest.fixture(autouse=True)
def nothing_served():
    yield
    resource_sharer.stop()


def really(obj):
    try:
        ForkingPickler.dumps(obj)
    except Exception as error:
        return error
    return None


def shared_memory():
    return {name for name in os.listdir("/dev/shm") if f"torch_{os.getpid()}_" in name}


@pytest.mark.parametrize("name", MADE)
def test_the_verdict_is_that_of_torch_s_own_reducers(name):
    ours, theirs = MADE[name](), MADE[name]()
    error = really([theirs])
    report = explain([ours], name="obj", via="pool")
    assert report.ok is (error is None), error
    assert error is None or f"{type(error).__name__}: {error}"[:500] in {failure.error for failure in report.failures}


def storages(obj):
    """List the tensors and storages of a thing that can say whether they are shared."""
    if isinstance(obj, torch.nn.Module):
        return list(obj.parameters())
    return [obj] if hasattr(obj, "is_shared") else []


def shared(obj):
    found = []
    for part in storages(obj):
        try:
            found.append(part.is_shared())
        except (NotImplementedError, RuntimeError):  # meta, sparse and nested tensors have no storage to ask
            found.append(None)
    return found


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="shared memory is seen there")
@pytest.mark.parametrize("via", ["process", "pool"])
@pytest.mark.parametrize("name", MADE)
def test_nothing_moves_into_shared_memory(name, via):
    obj = MADE[name]()
    before, files = shared(obj), shared_memory()
    explain([obj, Box(x=obj)], name="obj", via=via)
    assert shared(obj) == before
    assert True not in before
    assert shared_memory() == files


def test_torch_itself_would_have_moved_it():
    """What the test above looks at does change when torch pickles."""
    tensor, storage = torch.ones(3), torch.ones(3).untyped_storage()
    assert really([tensor, storage]) is None
    assert tensor.is_shared()
    assert storage.is_shared()


def test_a_shared_tensor_stays_shared():
    tensor = torch.ones(3).share_memory_()
    assert explain([tensor], via="process").ok
    assert tensor.is_shared()


def test_only_torch_s_reducers_have_these_stand_ins():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        replaced = [stand_in(reducer) is not None for reducer in ForkingPickler._extra_reducers.values()]
    assert any(replaced)
    assert stand_in(len) is None
    assert stand_in(really) is None


def test_the_non_leaf_is_named():
    obj = Box(model=torch.nn.Linear(2, 2))
    obj.cache = obj.model(torch.ones(1, 2))
    (failure,) = explain(obj, name="obj", via="process").failures
    assert (failure.path, failure.kind) == ("obj.cache", "non-leaf-tensor")
    assert explain(obj, via="pickle").ok is (really_plain(obj) is None)


def really_plain(obj):
    import pickle

    try:
        pickle.dumps(obj)
    except Exception as error:
        return error
    return None
