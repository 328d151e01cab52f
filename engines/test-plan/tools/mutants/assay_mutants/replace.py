"""Puts a mutant into the functions that are loaded, and into files that are imported later."""

import ast
import gc
import os
import sys
import types
from importlib.machinery import SourceFileLoader

#: The text of changed files, by their real paths.
changed_files = {}


def hook_imports():
    """Lets imports read `changed_files`. Nothing of them is written to the caches of Python."""
    get_code = SourceFileLoader.get_code

    def get_changed_code(self, fullname):
        path = self.get_filename(fullname)
        text = changed_files.get(os.path.realpath(path)) if changed_files else None
        if text is None:
            return get_code(self, fullname)
        return self.source_to_code(text, path)

    SourceFileLoader.get_code = get_changed_code


class LoadedFunctions:
    """The functions of the files with mutants. Found once, before processes are forked."""

    def __init__(self, paths):
        self.by_path = {}
        for one in gc.get_objects():
            if type(one) is types.FunctionType:
                path = paths.of(one.__code__.co_filename)
                if path:
                    self.by_path.setdefault(path, []).append(one)
        self.loaded = set(self.by_path)
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str):
                self.loaded.add(os.path.realpath(file))

    def replace(self, place):
        """Changes this process. Returns None, `invalid`, or `whole` if only a new import can show the mutant."""
        path = place.source.path
        changed = place.changed()
        if not place.function:
            return "whole" if is_valid(changed) else "invalid"
        try:
            new = code_of(place, place.end, place.replacement)
        except SyntaxError:
            return "whole" if is_valid(changed) else "invalid"
        except (LookupError, ValueError, RecursionError):
            return "whole"
        changed_files[path] = changed
        if path not in self.loaded:
            return None
        try:
            pairs = {}
            pair(code_of(place, place.start, ""), new, pairs)
        except (SyntaxError, LookupError, ValueError, RecursionError):
            return "whole"
        replacements = []
        for function in self.by_path.get(path, ()):
            old = function.__code__
            if old not in pairs:
                continue
            other = pairs[old]
            if other is None or other.co_freevars != old.co_freevars:
                return "whole"
            replacements.append((function, other))
        for function, other in replacements:
            function.__code__ = other
        return None if replacements else "whole"


def is_valid(text):
    try:
        compile(text, "changed", "exec", dont_inherit=True)
        return True
    except (SyntaxError, ValueError, RecursionError):
        return False


def code_of(place, end, replacement):
    """The code of the function, from its lines alone: a whole file takes long to compile."""
    source, function = place.source, place.function
    first = min([function.lineno] + [one.lineno for one in function.decorator_list])
    start, last = source.lines[first - 1], source.lines[function.end_lineno]
    segment = source.text[start : place.start] + replacement + source.text[end:last]
    headers = []
    for one in place.headers:
        # A handler starts where its statement does.
        while headers and headers[-1].col_offset >= one.col_offset:
            headers.pop()
        headers.append(one)
    above = "".join(" " * one.col_offset + opening(one) for one in headers)
    padding = "\n" * max(0, first - 1 - len(headers))
    code = compile(padding + above + segment, source.path, "exec", flags=source.flags, dont_inherit=True)
    for one in headers + [function]:
        if isinstance(one, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            [code] = [inner for inner in inner_codes(code) if inner.co_name == one.name]
    return code


def opening(node):
    return "class %s:\n" % node.name if isinstance(node, ast.ClassDef) else "if 1:\n"


def inner_codes(code):
    return [one for one in code.co_consts if isinstance(one, types.CodeType)]


def pair(old, new, pairs):
    """Finds the new code of each old one. The new code is None if it cannot be told."""
    pairs[old] = new if old not in pairs else None
    before, after = inner_codes(old), inner_codes(new) if new else []
    for index, one in enumerate(before):
        pair(one, after[index] if len(before) == len(after) else None, pairs)
