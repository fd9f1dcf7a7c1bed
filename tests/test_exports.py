"""What `import picklecheck` offers, and what it loads."""

import inspect
import pkgutil
import subprocess
import sys
from importlib import metadata

import pytest

import picklecheck

# the contract; what comes with later versions is added here when it is there
PUBLIC = {
    "Failure", "Finding", "Fix", "PicklecheckError", "Place", "Report", "Size", "TargetError", "UsageError",
    "assert_picklable", "explain", "explain_call", "install", "is_picklable", "register_kind", "register_transport",
    "uninstall", "watch",
}  # fmt: skip
MODULES = [module.name for module in pkgutil.iter_modules(picklecheck.__path__)]
NOT_LOADED = ["IPython", "_pytest", "dill", "executing", "numpy", "pytest", "rich", "typer"]


def test_all_is_the_contract():
    assert set(picklecheck.__all__) == PUBLIC | {"__version__"}


def test_all_names_every_public_name():
    hidden = {"TYPE_CHECKING"}
    assert {name for name in dir(picklecheck) if name[0].isalpha()} - hidden - set(MODULES) == PUBLIC


def test_each_name_is_loaded_when_it_is_asked_for():
    program = (
        "import sys, picklecheck; before = [name for name in sys.modules if name.startswith('picklecheck.')]; "
        "picklecheck.explain; print(before, 'picklecheck.api' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[] True\n"


def test_version_is_the_installed_one():
    assert picklecheck.__version__ == metadata.version("picklecheck")


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="'picklecheck' has no attribute 'explian'"):
        _ = picklecheck.explian


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_public_name_is_documented(name):
    assert inspect.getdoc(getattr(picklecheck, name))


@pytest.mark.parametrize("module", ["picklecheck", "picklecheck.api"])
def test_import_loads_no_dependency(module):
    program = f"import sys; before = set(sys.modules); import {module}; print(*set(sys.modules) - before, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.split())
    assert module in loaded
    assert loaded & set(NOT_LOADED) == set()
