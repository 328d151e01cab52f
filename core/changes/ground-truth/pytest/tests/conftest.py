from pathlib import Path

import pytest

from library.catalog import read_catalog


@pytest.fixture
def books():
    return read_catalog(Path(__file__).parent / "data" / "books.csv")
