def format_table(rows):
    """Columns as wide as what is in them; numbers stand at the right."""
    if not rows:
        return ""
    if len({len(row) for row in rows}) > 1:
        raise ValueError("every row needs as many cells")
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows)]
    lines = []
    for row in rows:
        cells = [
            str(cell).rjust(width) if isinstance(cell, int) else str(cell).ljust(width)
            for cell, width in zip(row, widths)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
