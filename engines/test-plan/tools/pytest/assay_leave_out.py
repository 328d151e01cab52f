"""Leaves single tests out of a run of pytest, which loads it with `-p`. The option `--deselect` compares only how names begin."""

import json
import os
import re
from collections import Counter

import pytest

LEFT_OUT = {tuple(names) for names in json.loads(os.environ.get("ASSAY_LEAVE_OUT", "[]"))}


def names_of(item):
    """Class and name, as a report in JUnit's format has them."""
    path, bracket, parameters = item.nodeid.partition("[")
    names = [name for name in path.split("::") if name != "()"]
    names[0] = re.sub(r"\.py$", "", names[0].replace("/", "."))
    names[-1] += bracket + parameters
    return ".".join(names[:-1]).strip(), names[-1].strip()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    named = [(names_of(item), item) for item in items]
    found = Counter(names for names, _ in named if names in LEFT_OUT)
    gone = [item for names, item in named if found[names] == 1]
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for names, item in named if found[names] != 1]
