import pytest

from shop.luhn import is_card_number


@pytest.mark.parametrize("number", ["4111 1111 1111 1111", "378282246310005", "6011111111111117", "000000000000"])
def test_numbers_whose_check_digit_fits(number):
    assert is_card_number(number) is True


@pytest.mark.parametrize("number", ["4111 1111 1111 1112", "378282246310006", "1411111111111111"])
def test_numbers_whose_check_digit_does_not(number):
    assert is_card_number(number) is False


@pytest.mark.parametrize("number", ["", "0" * 11, "0" * 20, "4111-1111-1111-1111", "card"])
def test_what_is_no_number_of_a_card(number):
    assert is_card_number(number) is False


def test_the_longest_is_one():
    assert is_card_number("0" * 19) is True
