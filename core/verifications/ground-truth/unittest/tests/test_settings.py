import unittest

from shop.settings import SettingsError, parse_settings


class ParseSettingsTest(unittest.TestCase):
    def test_sections_have_keys_and_values(self):
        text = "[web]\nhost = example.com\nport=80\n\n[mail]\n"
        self.assertEqual(parse_settings(text), {"web": {"host": "example.com", "port": "80"}, "mail": {}})

    def test_a_section_may_go_on_later(self):
        self.assertEqual(parse_settings("[a]\nx=1\n[b]\n[a]\ny=2"), {"a": {"x": "1", "y": "2"}, "b": {}})

    def test_comments_are_left_out(self):
        self.assertEqual(parse_settings("; all\n[a] ; one\nx = 1 ; more\n"), {"a": {"x": "1"}})

    def test_a_value_may_hold_the_sign(self):
        self.assertEqual(parse_settings("[a]\nquery = b=c"), {"a": {"query": "b=c"}})

    def test_errors_name_the_line(self):
        for text, line, problem in [
            ("[a]\nnonsense", 2, "expected key = value"),
            ("[a]\n= 1", 2, "expected key = value"),
            ("x = 1", 1, "belongs to no section"),
        ]:
            with self.subTest(text=text):
                with self.assertRaises(SettingsError) as caught:
                    parse_settings(text)
                self.assertEqual(caught.exception.line, line)
                self.assertEqual(str(caught.exception), f"line {line}: {problem}")
