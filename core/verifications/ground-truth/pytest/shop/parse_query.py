from urllib.parse import unquote_plus


def parse_query(text):
    """The values of each name, in their order."""
    values = {}
    for pair in text.removeprefix("?").split("&"):
        if not pair:
            continue
        name, _, value = pair.partition("=")
        values.setdefault(unquote_plus(name), []).append(unquote_plus(value))
    return values
