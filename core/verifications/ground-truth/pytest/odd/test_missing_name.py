from shop.unique import distinct


def test_nothing_stays_nothing():
    assert distinct([]) == []
