def first_at_least(values, wanted):
    """Where in a sorted list the first value is that is not smaller; its length if there is none."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
