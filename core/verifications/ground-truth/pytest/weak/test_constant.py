from shop.unique import unique


def test_keeps_the_first():
    kept = unique([3, 1, 3])
    expected = [3, 1]
    assert expected == [3, 1], kept
    assert True
