import pytest

from shop.retry import retry


class Work:
    """Fails so many times before it succeeds."""

    def __init__(self, failures, error=OSError):
        self.failures = failures
        self.error = error
        self.calls = 0

    def __call__(self):
        self.calls += 1
        if self.calls <= self.failures:
            raise self.error(f"call {self.calls}")
        return "done"


def test_what_succeeds_is_done_once():
    slept, work = [], Work(0)
    assert retry(work, 3, 1, slept.append) == "done"
    assert (work.calls, slept) == (1, [])


def test_waits_twice_as_long_every_time():
    slept = []
    assert retry(Work(3), 4, 5, slept.append) == "done"
    assert slept == [5, 10, 20]


def test_gives_up_with_the_last_error():
    slept, work = [], Work(9)
    with pytest.raises(OSError, match="call 3"):
        retry(work, 3, 1, slept.append)
    assert (work.calls, slept) == (3, [1, 2])


def test_other_errors_are_not_tried_again():
    slept, work = [], Work(1, KeyError)
    with pytest.raises(KeyError):
        retry(work, 3, 1, slept.append)
    assert (work.calls, slept) == (1, [])


def test_no_attempt_is_a_mistake():
    with pytest.raises(ValueError):
        retry(Work(0), 0, 1, print)
