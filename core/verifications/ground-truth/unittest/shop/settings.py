class SettingsError(ValueError):
    def __init__(self, line, problem):
        super().__init__(f"line {line}: {problem}")
        self.line = line


def parse_settings(text):
    """Values by section and key."""
    sections = {}
    current = None
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.split(";")[0].strip()
        if not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            current = sections.setdefault(line[1:-1].strip(), {})
            continue
        key, sign, value = line.partition("=")
        if not sign or not key.strip():
            raise SettingsError(number, "expected key = value")
        if current is None:
            raise SettingsError(number, "belongs to no section")
        current[key.strip()] = value.strip()
    return sections
