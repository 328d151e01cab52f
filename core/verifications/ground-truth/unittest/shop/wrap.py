def wrap(text, width):
    """Lines of at most `width` characters; a longer word has a line of its own."""
    lines = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if len(longer) <= width or not line:
            line = longer
        else:
            lines.append(line)
            line = word
    return lines + [line] if line else lines
