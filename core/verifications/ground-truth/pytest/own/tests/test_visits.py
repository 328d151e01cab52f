from shop.visits import note_visit


def test_a_visit_is_counted():
    assert note_visit("ada") >= 1
