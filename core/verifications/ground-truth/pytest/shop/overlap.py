def overlap(first, second):
    """What two ranges, whose ends belong to them, have in common; None for nothing."""
    for start, end in (first, second):
        if end < start:
            raise ValueError(f"{start} to {end} runs backwards")
    start = max(first[0], second[0])
    end = min(first[1], second[1])
    return (start, end) if start <= end else None
