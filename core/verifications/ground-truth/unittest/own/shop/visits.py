NAMES = []


def note_visit(name):
    """Notes a visit and says how many there were."""
    NAMES.append(name)
    return len(NAMES)
