import unittest
from unittest.mock import MagicMock

from shop.token_bucket import TokenBucket


class BucketTest(unittest.TestCase):
    def test_takes(self):
        bucket = TokenBucket(1, 1, lambda: 0)
        bucket.take = MagicMock(return_value=True)
        self.assertTrue(bucket.take())
        bucket.take.assert_called_once_with()
