class TokenBucket:
    """Lets `capacity` pass at once, and `per_second` in the long run."""

    def __init__(self, capacity, per_second, now):
        self.capacity = capacity
        self.per_second = per_second
        self.now = now
        self.tokens = capacity
        self.filled_at = now()

    def take(self, count=1):
        now = self.now()
        gained = (now - self.filled_at) * self.per_second
        self.tokens = min(self.capacity, self.tokens + gained)
        self.filled_at = now
        if self.tokens < count:
            return False
        self.tokens -= count
        return True
