from decimal import Decimal

import pytest

from shop.tax import with_tax


def test_tax_is_added():
    assert with_tax("100.00", "19") == {"net": Decimal("100.00"), "tax": Decimal("19.00"), "gross": Decimal("119.00")}


def test_half_a_cent_is_rounded_up():
    assert with_tax("0.50", "5")["tax"] == Decimal("0.03")
    assert with_tax("0.90", "5")["tax"] == Decimal("0.05")


def test_less_than_half_a_cent_is_not():
    assert with_tax("0.48", "5")["tax"] == Decimal("0.02")


def test_gross_is_what_the_parts_add_up_to():
    assert with_tax("19.99", "7")["gross"] == Decimal("21.39")
    assert with_tax("5", "0")["gross"] == Decimal("5")


def test_no_price_is_negative():
    with pytest.raises(ValueError):
        with_tax("-0.01", "19")
