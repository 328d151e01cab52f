"""Says which tests may use something that other processes use too: a port, or a file with a fixed name."""

import os
import re
import sys

OPENS = re.compile(r"\b(?:bind|listen|serve_forever|create_server|start_server|HTTPServer|TCPServer)\(|\bsubprocess\b|\blive_server\b")
WRITES = re.compile(
    r"\.(?:write_text|write_bytes|mkdir|rename|unlink|touch)\(|\bos\.(?:mkdir|makedirs|rename|remove|replace)\("
    r"|\bshutil\.|\bsqlite3\.connect\(|\bopen\([^()\n]{0,200}[\"'][wax]b?\+?[\"']"
)
#: Folders with these names are different in each process.
OWN = re.compile(r"\btmp_path|\btmpdir\b|\btempfile\b")


def find_disturbing(root):
    """The loaded files of a project that open ports or start programs, those that write files, and those with an own folder."""
    found = {"opens": [], "writes": [], "own": []}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        path = os.path.realpath(file) if isinstance(file, str) else ""
        if not path.startswith(root + os.sep) or "site-packages" in path or not path.endswith(".py"):
            continue
        try:
            with open(path, encoding="utf-8", errors="replace") as source:
                text = source.read()
        except OSError:
            continue
        for kind, pattern in (("opens", OPENS), ("writes", WRITES), ("own", OWN)):
            if pattern.search(text):
                found[kind].append(path)
    return found
