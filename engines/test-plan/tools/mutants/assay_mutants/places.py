"""Where mutants are: the lines that reach them, and the function whose code they change."""

import __future__
import ast
import json
import os
import re

LINE_END = re.compile("\r\n|\r|\n")


class Paths:
    """Finds the files with mutants by the names that code objects have for them."""

    def __init__(self, wanted):
        self.wanted = wanted
        self.known = {}

    def of(self, filename):
        """The real path of a file that has mutants, else None."""
        try:
            return self.known[filename]
        except KeyError:
            path = os.path.realpath(filename)
            self.known[filename] = found = path if path in self.wanted else None
            return found


class Source:
    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        self.path = path
        # The host counts a byte order mark, and Python does not compile it.
        self.mark = 1 if text.startswith("\ufeff") else 0
        self.text = text[self.mark :]
        self.tree = ast.parse(self.text)
        self.lines = [0] + [match.end() for match in LINE_END.finditer(self.text)] + [len(self.text)]
        self.flags = 0
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                for name in node.names:
                    feature = getattr(__future__, name.name, None)
                    self.flags |= feature.compiler_flag if feature else 0
        self.wide = None
        if self.text and max(self.text) > "\uffff":
            # Places of the characters, in UTF-16 code units.
            self.wide, at = {}, 0
            for index, character in enumerate(self.text):
                self.wide[at] = index
                at += 2 if character > "\uffff" else 1
            self.wide[at] = len(self.text)

    def offset(self, units):
        units -= self.mark
        return units if self.wide is None else self.wide[units]

    def place(self, line, column):
        """The offset of a line and a column of the syntax tree, which counts bytes."""
        start = self.lines[line - 1]
        text = self.text[start : self.lines[line]]
        return start + (column if text.isascii() else len(text.encode()[:column].decode()))

    def range_of(self, node):
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def line_of(self, offset):
        low, high = 0, len(self.lines) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.lines[middle] <= offset else (low, middle)
        return low + 1


class Place:
    """A mutant in its source."""

    def __init__(self, source, wanted):
        self.id = wanted["id"]
        self.source = source
        #: Only its reach is of interest.
        self.is_done = wanted.get("isDone", False)
        #: The test that is likely to notice it, and the test files that are known to accept it, by their positions.
        self.first = wanted.get("first")
        self.accepted = wanted.get("accepted", [])
        self.start = source.offset(wanted["start"])
        self.end = source.offset(wanted["end"])
        self.replacement = wanted["replacement"]
        self.function = None
        self.headers = []
        self.is_in_lambda = False
        #: The first and last line of the statement, without the statements in it.
        self.statement = None
        first, last = source.line_of(self.start), source.line_of(max(self.start, self.end - 1))
        self._visit(source.tree, [])
        # Some lines of a statement have no code. Any line of it says that it ran.
        if self.statement:
            first, last = min(first, self.statement[0]), max(last, self.statement[1])
        self.lines = range(first, last + 1)

    def _visit(self, node, above):
        line = self.source.line_of(self.start)
        for child in ast.iter_child_nodes(node):
            if not hasattr(child, "lineno"):
                # A part such as the arguments of a function has no place.
                self._visit(child, above)
                continue
            if not child.lineno <= line <= child.end_lineno:
                continue
            start, end = self.source.range_of(child)
            if not (start <= self.start and self.end <= end):
                continue
            if isinstance(child, ast.stmt):
                body = getattr(child, "body", None)
                self.statement = (child.lineno, max(child.lineno, body[0].lineno - 1) if body else child.end_lineno)
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) and not self.function:
                if self.start >= self.source.range_of(child.body[0])[0]:
                    self.function, self.headers = child, above
            if isinstance(child, ast.Lambda):
                self.is_in_lambda = True
                self.statement = (child.lineno, child.end_lineno)
            elif isinstance(child, ast.stmt):
                self.is_in_lambda = False
            self._visit(child, above + [child] if isinstance(child, (ast.stmt, ast.ExceptHandler)) else above)
            return

    def changed(self):
        text = self.source.text
        return text[: self.start] + self.replacement + text[self.end :]


def markers_of(places):
    """What the host expects of a function with mutants that is called, with the lines of the function."""
    ids = {}
    for place in places:
        if place.function:
            ids.setdefault((place.source.path, place.function), []).append(place.id)
    for (path, function), own in ids.items():
        first = min([function.lineno] + [one.lineno for one in function.decorator_list])
        yield path, range(first, function.end_lineno + 1), -2 * min(own) - 1


def read_places(folder):
    """Returns the plan of the host and the mutants that it names, and reports those that cannot be read."""
    with open(os.path.join(folder, "wanted.json"), encoding="utf-8") as file:
        plan = json.load(file)
    root = os.path.realpath(plan.get("root") or os.environ["ASSAY_ROOT"])
    sources, places = {}, []
    for wanted in plan["wanted"]:
        path = os.path.realpath(os.path.join(root, wanted["path"]))
        if path not in sources:
            try:
                sources[path] = Source(path)
            except (OSError, ValueError, SyntaxError, RecursionError):
                sources[path] = None
        if sources[path]:
            try:
                places.append(Place(sources[path], wanted))
            except (KeyError, RecursionError):
                continue
    return plan, root, places
