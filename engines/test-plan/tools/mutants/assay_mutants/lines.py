"""Finds out which mutants code reaches, and which files import which."""

import builtins
import importlib
import os
import sys
import threading


class Lines:
    """Collects the mutants whose lines run. `swap` chooses the set that they are collected in."""

    def __init__(self, places, paths):
        self.paths = paths
        self.seen = set()
        self.mutants = {}
        for place in places:
            for line in place.lines:
                self.mutants.setdefault((place.source.path, line, place.is_in_lambda), []).append(place.id)
        self.monitoring = getattr(sys, "monitoring", None)

    def start(self):
        if self.monitoring:
            self._monitor()
            return
        threading.settrace(self._enter)
        sys.settrace(self._enter)

    def stop(self):
        if self.monitoring:
            self.monitoring.set_events(self.tool, 0)
            self.monitoring.free_tool_id(self.tool)
            return
        threading.settrace(None)
        sys.settrace(None)

    def swap(self, seen):
        before, self.seen = self.seen, seen
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
        path = self.paths.of(code.co_filename)
        if path is None:
            return None
        is_in_lambda = code.co_name == "<lambda>"

        def line(frame, event, argument):
            self.seen.add((path, frame.f_lineno, is_in_lambda))
            return line

        self.seen.add((path, frame.f_lineno, is_in_lambda))
        return line

    def _monitor(self):
        monitoring = self.monitoring
        events = monitoring.events
        self.tool = next(tool for tool in (4, 3, 2, 0, 1, 5) if not monitoring.get_tool(tool))
        monitoring.use_tool_id(self.tool, "assay")

        def enter(code, offset):
            if self.paths.of(code.co_filename):
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
