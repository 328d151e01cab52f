from shop.format_table import format_table


def test_gives_a_text():
    assert isinstance(format_table([("tea", 5), ("coffee", 12)]), str)
    assert type(format_table([])) is str
