from shop.unique import unique


def test_the_first_of_the_same_stays_where_it_is():
    assert unique([3, 1, 3, 2, 1]) == [3, 1, 2]


def test_a_key_says_what_is_the_same():
    assert unique(["Tea", "tea", "COFFEE", "Coffee"], key=str.lower) == ["Tea", "COFFEE"]


def test_falsy_items_are_items():
    assert unique([0, "", None, 0, None]) == [0, "", None]


def test_nothing_stays_nothing():
    assert unique([]) == []
