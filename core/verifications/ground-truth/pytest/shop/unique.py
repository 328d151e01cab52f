def unique(items, key=None):
    """Each item once, where it first was; `key` says what makes two the same."""
    seen = set()
    kept = []
    for item in items:
        mark = item if key is None else key(item)
        if mark not in seen:
            seen.add(mark)
            kept.append(item)
    return kept
