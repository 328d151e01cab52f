from shop.merge_intervals import merge_intervals


def test_what_overlaps_becomes_one():
    assert merge_intervals([(1, 4), (3, 6), (8, 9)]) == [(1, 6), (8, 9)]


def test_what_touches_becomes_one():
    assert merge_intervals([(1, 2), (2, 3)]) == [(1, 3)]


def test_one_inside_of_another_changes_nothing():
    assert merge_intervals([(1, 10), (2, 3)]) == [(1, 10)]


def test_order_plays_no_part():
    assert merge_intervals([(8, 9), (1, 2)]) == [(1, 2), (8, 9)]


def test_nothing_stays_nothing():
    assert merge_intervals([]) == []
