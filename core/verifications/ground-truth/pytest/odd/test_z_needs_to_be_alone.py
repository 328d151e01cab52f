from shop.visits import note_visit


def test_visits_are_counted_from_one():
    assert note_visit("ada") == 1
    assert note_visit("bob") == 2
