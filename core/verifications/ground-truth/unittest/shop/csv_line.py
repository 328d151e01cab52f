def format_csv_line(fields):
    """Fields are quoted where they must be, and only there."""
    return ",".join(_quoted(str(field)) for field in fields)


def _quoted(field):
    if any(character in field for character in ',"\n'):
        return '"' + field.replace('"', '""') + '"'
    return field
