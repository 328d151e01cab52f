import pytest

from shop.rates import rate_of, set_rate


def test_a_rate_can_be_changed():
    set_rate("standard", 21)
    assert rate_of("standard") == 21
    assert rate_of("reduced") == 7


def test_nothing_is_taxed_by_more_than_all_of_it():
    for percent in (-1, 101):
        with pytest.raises(ValueError, match=f"{percent} is no rate"):
            set_rate("standard", percent)
