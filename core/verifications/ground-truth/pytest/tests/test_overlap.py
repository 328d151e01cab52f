import pytest

from shop.overlap import overlap


@pytest.mark.parametrize(
    "first, second, common",
    [
        ((1, 5), (3, 8), (3, 5)),
        ((3, 8), (1, 5), (3, 5)),
        ((1, 9), (4, 5), (4, 5)),
        ((1, 3), (3, 5), (3, 3)),
        ((1, 2), (3, 4), None),
        ((2, 2), (2, 2), (2, 2)),
    ],
)
def test_what_two_ranges_have_in_common(first, second, common):
    assert overlap(first, second) == common


def test_no_range_runs_backwards():
    with pytest.raises(ValueError, match="5 to 1 runs backwards"):
        overlap((1, 2), (5, 1))
