import pytest

from shop.first_at_least import first_at_least


@pytest.mark.parametrize(
    "wanted, place",
    [(1, 0), (2, 0), (3, 1), (5, 1), (6, 4), (9, 4), (10, 5)],
)
def test_place_of_the_first_that_is_not_smaller(wanted, place):
    assert first_at_least([2, 5, 5, 5, 9], wanted) == place


def test_a_list_of_one_and_of_none():
    assert first_at_least([4], 4) == 0
    assert first_at_least([4], 5) == 1
    assert first_at_least([], 4) == 0
