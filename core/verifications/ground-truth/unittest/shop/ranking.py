def rank(scores):
    """Places by score, the best first; who has the same score shares a place, and the next one is left out."""
    ordered = sorted(scores.items(), key=lambda entry: -entry[1])
    places = {}
    place = 0
    for index, (name, score) in enumerate(ordered):
        if index == 0 or score != ordered[index - 1][1]:
            place = index + 1
        places[name] = place
    return places
