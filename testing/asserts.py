"""Imported first: pytest is to explain the failed assertions of the suites as it does those of test modules."""

from pathlib import Path

import pytest

_SUITES = (path.stem for path in Path(__file__).parent.glob("[a-z]*.py") if path != Path(__file__))
pytest.register_assert_rewrite(*(f"{__name__.rpartition('.')[0]}.{name}" for name in _SUITES))
