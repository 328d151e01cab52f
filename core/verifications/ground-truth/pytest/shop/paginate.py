from math import ceil


def paginate(items, page=1, size=10):
    """One page, counted from 1, and what pages there are before and after it."""
    if size < 1:
        raise ValueError("a page holds at least one item")
    pages = max(1, ceil(len(items) / size))
    if not 1 <= page <= pages:
        raise IndexError(f"page {page} of {pages}")
    start = (page - 1) * size
    return {
        "items": items[start : start + size],
        "previous": page - 1 if page > 1 else None,
        "next": page + 1 if page < pages else None,
    }
