def diff_records(before, after):
    """What was added, removed and changed (old and new value), by name."""
    return {
        "added": {name: after[name] for name in sorted(after.keys() - before.keys())},
        "removed": {name: before[name] for name in sorted(before.keys() - after.keys())},
        "changed": {
            name: (before[name], after[name])
            for name in sorted(before.keys() & after.keys())
            if before[name] != after[name]
        },
    }
