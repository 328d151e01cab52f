import pytest

from shop.format_table import format_table


def test_columns_are_aligned():
    assert format_table([("tea", 5), ("coffee", 12)]) == "tea      5\ncoffee  12"


def test_no_line_ends_with_spaces():
    assert format_table([(1, "a"), (2, "long")]) == "1  a\n2  long"


def test_one_row_is_as_wide_as_it_is():
    assert format_table([("a", "b")]) == "a  b"


def test_nothing_is_no_table():
    assert format_table([]) == ""


def test_rows_are_of_one_length():
    with pytest.raises(ValueError, match="as many cells"):
        format_table([("a",), ("b", "c")])
