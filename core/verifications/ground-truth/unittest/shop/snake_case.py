import re


def snake_case(name):
    """`parseHTTPResponse` as `parse_http_response`."""
    parted = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", parted)
    return re.sub(r"[\s-]+", "_", parted).lower()
