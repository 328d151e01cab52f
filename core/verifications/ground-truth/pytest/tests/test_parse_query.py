from shop.parse_query import parse_query


def test_every_value_of_a_name_is_kept():
    assert parse_query("a=1&b=2&a=3") == {"a": ["1", "3"], "b": ["2"]}


def test_only_the_first_equals_sign_parts_name_and_value():
    assert parse_query("filter=a=b") == {"filter": ["a=b"]}


def test_a_name_may_have_no_value():
    assert parse_query("?debug&x=") == {"debug": [""], "x": [""]}


def test_escapes_are_read():
    assert parse_query("full+name=Ada%20L%26") == {"full name": ["Ada L&"]}


def test_nothing_has_no_values():
    assert parse_query("") == {}
    assert parse_query("?&&") == {}
