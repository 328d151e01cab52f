import random

from shop.unique import unique


def test_the_first_of_the_same_stays_where_it_is():
    items = [random.randrange(3), 0]
    assert len(unique(items)) == 2
