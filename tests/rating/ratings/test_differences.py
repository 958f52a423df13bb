"""Sets of others: choix's published vectors and its own optimiser, and quasi standard
errors that R published.
"""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "differences.py"


@pytest.fixture(scope="module")
def differences():
    spec = importlib.util.spec_from_file_location("rating_differences", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


def test_published_vectors_of_choix(differences):
    rows = list(differences.choix_published())
    assert len(rows) == 2
    for _, what, difference in rows:
        assert difference < 1e-8, what  # all digits that are published


def test_random_sets_against_choix(differences):
    pytest.importorskip("choix")
    for _, what, difference in differences.choix_random(8):
        assert difference < 1e-7, what


def test_quasi_standard_errors_as_published(differences):
    for _, what, difference in differences.pudding():
        assert difference < 2e-6, what  # 6 or 7 digits are printed, at a solution of 7


@pytest.mark.slow
def test_the_command_prints_every_set(differences, capsys):
    for name in ("statsmodels", "choix"):
        pytest.importorskip(name)
    differences.main()
    values = {
        line[:131].strip(): float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()
    }
    assert len(values) > 25
    assert max(values.values()) < 1e-6
