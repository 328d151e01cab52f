from shop.merge_intervals import merge_intervals


def test_merges_intervals():
    intervals = [(1, 4), (3, 6), (8, 9)]
    assert merge_intervals(intervals) == merge_intervals(intervals)
    merged = merge_intervals([])
    assert merged == merged
