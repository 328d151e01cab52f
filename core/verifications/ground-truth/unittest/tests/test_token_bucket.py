import unittest

from shop.token_bucket import TokenBucket


class TokenBucketTest(unittest.TestCase):
    def setUp(self):
        self.now = 100.0
        self.bucket = TokenBucket(2, 4, lambda: self.now)

    def test_lets_as_many_pass_as_it_holds(self):
        self.assertEqual([self.bucket.take() for _ in range(3)], [True, True, False])

    def test_takes_several_at_once_or_none(self):
        self.assertFalse(self.bucket.take(3))
        self.assertTrue(self.bucket.take(2))
        self.assertFalse(self.bucket.take())

    def test_gains_with_time(self):
        self.bucket.take(2)
        self.now += 0.25
        self.assertTrue(self.bucket.take())
        self.assertFalse(self.bucket.take())

    def test_never_holds_more_than_it_can(self):
        self.now += 3600
        self.assertEqual([self.bucket.take() for _ in range(3)], [True, True, False])
