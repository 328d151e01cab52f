"""Finds out which mutants code reaches, and which files import which."""

import builtins
import dis
import importlib
import os
import sys
import threading

from .places import markers_of


class Lines:
    """Collects the mutants whose lines run, and which functions. `swap` chooses the set that they are collected in."""

    def __init__(self, places, paths):
        self.paths = paths
        self.seen = set()
        self.mutants = {}
        for place in places:
            for line in place.lines:
                self.mutants.setdefault((place.source.path, line, place.is_in_lambda), []).append(place.id)
        #: By path, the functions with mutants: their lines and what to report.
        self.functions = {}
        for path, lines, marker in markers_of(places):
            self.functions.setdefault(path, []).append((lines, marker))
            self.mutants[(path, marker, False)] = [marker]
        #: What to look for in code objects, by their ids: in all, and still in this test.
        self.keys, self.left, self.kept = {}, {}, []
        self.monitoring = getattr(sys, "monitoring", None)

    def start(self):
        if self.monitoring:
            self._monitor()
            return
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def swap(self, seen):
        before, self.seen = self.seen, seen
        self.left = {}
        if self.monitoring:
            # Lines that were seen are off until now.
            self.monitoring.restart_events()
        else:
            # Tests can replace the trace.
            sys.settrace(self._enter)
        return before

    def reached(self, seen):
        found = set()
        for path, line, is_in_lambda in seen:
            found.update(self.mutants.get((path, line, is_in_lambda), ()))
        return sorted(found)

    def _enter(self, frame, event, argument):
        code = frame.f_code
        # The hash of a code object takes long. It is kept, so that no other one gets its id.
        known = self.left.get(id(code))
        if known is None:
            known = self.left[id(code)] = (code, self._wanted_lines(code))
            self._note_call(code)
        left = known[1]
        if not left:
            return None
        keys = self.keys[id(code)]

        def line(frame, event, argument):
            number = frame.f_lineno
            if number in left:
                left.discard(number)
                self.seen.add(keys[number])
            if not left:
                frame.f_trace_lines = False
            return line

        return line(frame, event, argument)

    def _note_call(self, code):
        """Notes that a function runs, or one that it has made."""
        path = self.paths.of(code.co_filename)
        if path and code.co_name != "<module>":
            for lines, marker in self.functions.get(path, ()):
                if code.co_firstlineno in lines:
                    self.seen.add((path, marker, False))

    def _wanted_lines(self, code):
        """The lines of the code that this test has not reached yet."""
        keys = self.keys.get(id(code))
        if keys is None:
            path = self.paths.of(code.co_filename)
            is_in_lambda = code.co_name == "<lambda>"
            lines = {line for _, line in dis.findlinestarts(code)} if path else ()
            found = ((line, (path, line, is_in_lambda)) for line in lines)
            keys = self.keys[id(code)] = {line: key for line, key in found if key in self.mutants}
            self.kept.append(code)
        return set(keys)

    def _monitor(self):
        monitoring = self.monitoring
        events = monitoring.events
        self.tool = next(tool for tool in (4, 3, 2, 0, 1, 5) if not monitoring.get_tool(tool))
        monitoring.use_tool_id(self.tool, "assay")

        def enter(code, offset):
            if self.paths.of(code.co_filename):
                self._note_call(code)
                monitoring.set_local_events(self.tool, code, events.LINE)
            return monitoring.DISABLE

        def line(code, number):
            self.seen.add((self.paths.of(code.co_filename), number, code.co_name == "<lambda>"))
            return monitoring.DISABLE

        monitoring.register_callback(self.tool, events.PY_START, enter)
        monitoring.register_callback(self.tool, events.LINE, line)
        monitoring.set_events(self.tool, events.PY_START)


class Imports:
    """Which file of the project imports which, also if another one has imported it before."""

    def __init__(self, root):
        self.root = root + os.sep
        self.edges = {}
        self.inside = {}

    def start(self):
        plain_import, import_module = builtins.__import__, importlib.import_module

        def imported(name, globals=None, locals=None, fromlist=(), level=0):
            module = plain_import(name, globals, locals, fromlist, level)
            try:
                found = [module] + [getattr(module, one, None) for one in fromlist or ()]
                if not fromlist:
                    found.append(sys.modules.get(name))
                self._note((globals or {}).get("__file__"), found)
            except Exception:
                # A module can do anything when its attributes are read.
                pass
            return module

        def module_imported(name, package=None):
            module = import_module(name, package)
            self._note(sys._getframe(1).f_globals.get("__file__"), [module])
            return module

        builtins.__import__, importlib.import_module = imported, module_imported

    def _note(self, importer, modules):
        importer = self._path(importer)
        if not importer:
            return
        for module in modules:
            if not isinstance(module, type(sys)):
                continue
            parts = module.__name__.split(".")
            for end in range(1, len(parts) + 1):
                path = self._path(getattr(sys.modules.get(".".join(parts[:end])), "__file__", None))
                if path:
                    self.edges.setdefault(importer, set()).add(path)

    def _path(self, file):
        if not isinstance(file, str):
            return None
        if file not in self.inside:
            path = os.path.realpath(file)
            self.inside[file] = path if path.startswith(self.root) else None
        return self.inside[file]
