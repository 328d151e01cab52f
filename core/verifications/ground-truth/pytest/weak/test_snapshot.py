import json
from pathlib import Path

from shop.paginate import paginate

SNAPSHOT = Path(__file__).with_suffix(".json")


def test_page_is_as_before():
    page = paginate(list("abcdefg"), 2, 3)
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(json.dumps(page))
    assert page == json.loads(SNAPSHOT.read_text())
