"""Modules made for a test, as they are and as edited."""

import importlib.util
import sys
import textwrap

import pytest


@pytest.fixture
def load(tmp_path):
    """Give a function that writes a module, imports it, and gives it."""
    made = []

    def load(text, name="fixed_module"):
        name = f"{name}_{len(made)}"
        file = tmp_path / f"{name}.py"
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        made.append(name)
        spec.loader.exec_module(module)
        return module

    yield load
    for name in made:
        sys.modules.pop(name, None)
