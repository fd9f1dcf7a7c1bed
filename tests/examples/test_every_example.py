import ast
from pathlib import Path

import pytest

from tests.examples.support import EXAMPLES, run_picklecheck

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
# an example that is only run, because what is wrong is the program, and its twin: both are tested together
TWIN = {"cifar10": "cifar10_guarded"}


@pytest.mark.parametrize("name", NAMES)
def test_has_a_test_a_line_in_the_readme_and_its_commands(name):
    tested_with = next((one for one, twin in TWIN.items() if twin == name), name)
    assert Path(__file__).with_name(f"test_{tested_with}.py").exists()
    assert f"| `{name}.py` |" in (EXAMPLES / "README.md").read_text(encoding="utf-8")
    usage = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8")))
    if name not in TWIN:
        assert f"examples/{name}.py:" in usage
    fixed = f"{TWIN.get(name, name)}.py" if name in (*TWIN, *TWIN.values()) else f"{name}.py fixed"
    assert f"python examples/{fixed}" in usage


def test_an_attribute_that_an_example_lacks_is_one_clear_line():
    outcome = run_picklecheck("explain", "examples/crops.py:datasets")
    assert outcome.exitcode == 2
    assert "Traceback" not in outcome.stderr
    assert "dataset" in outcome.stderr
