from shop.parse_query import parse_query


def test_parses_queries():
    parse_query("a=1&b=2&a=3")
    parse_query("")
