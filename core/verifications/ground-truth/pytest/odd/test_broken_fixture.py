from shop.unique import unique


def test_items_of_the_sample(sample):
    assert unique(sample) == [1, 2]
