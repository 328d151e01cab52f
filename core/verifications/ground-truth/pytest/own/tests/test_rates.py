import pytest

from shop.rates import rate_of


def test_the_usual_rate():
    assert rate_of("standard") == 19


def test_a_rate_that_nobody_knows():
    with pytest.raises(KeyError):
        rate_of("none")
