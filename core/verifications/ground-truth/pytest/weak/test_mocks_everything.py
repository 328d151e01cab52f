from unittest.mock import Mock

from shop.retry import retry


def test_calls_the_work():
    work, sleep = Mock(return_value="done"), Mock()
    retry(work, 3, 1, sleep)
    assert work.called
