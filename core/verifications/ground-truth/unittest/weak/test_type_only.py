import unittest

from shop.snake_case import snake_case


class SnakeCaseTest(unittest.TestCase):
    def test_gives_a_text(self):
        self.assertIsInstance(snake_case("parseResponse"), str)
        self.assertIsNotNone(snake_case(""))
