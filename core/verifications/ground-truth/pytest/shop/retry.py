def retry(work, attempts, delay, sleep, errors=(OSError,)):
    """Tries again after 1, 2, 4 ... times the delay; the last error is the caller's."""
    for attempt in range(1, attempts + 1):
        try:
            return work()
        except errors:
            if attempt == attempts:
                raise
            sleep(delay * 2 ** (attempt - 1))
    raise ValueError("at least one attempt is needed")
