import unittest

from shop.snake_case import snake_case


class SnakeCaseTest(unittest.TestCase):
    def test_names(self):
        for name, expected in {
            "parse": "parse",
            "parseResponse": "parse_response",
            "ParseResponse": "parse_response",
            "parseHTTPResponse": "parse_http_response",
            "userID": "user_id",
            "area51Map": "area51_map",
            "already_snake": "already_snake",
            "some-dashed name": "some_dashed_name",
            "": "",
        }.items():
            with self.subTest(name=name):
                self.assertEqual(snake_case(name), expected)
