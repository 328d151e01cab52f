"""What a process does after it has loaded the tests: it measures their reach, or tries one or many mutants."""

import collections
import contextlib
import json
import os
import threading
import time

from .disturbing import find_disturbing
from .forks import be_quiet, run_forks
from .lines import Imports, Lines
from .replace import LoadedFunctions, changed_files, hook_imports, is_valid


class Role:
    """
    A runner calls `begin` before it loads anything of the project, and `play` with its suite afterwards. The suite has
    `tests` with a `name` and a `file`, and `run(tests, listener)`. The listener has `started(test)`, `ended(test,
    failure)`, which returns whether to go on, and the context `shared(tests)` for code that runs for several tests.
    """

    def __init__(self, fork, plan, root, places, paths, stop_at):
        self.fork = fork
        self.job = fork.job
        self.plan = plan
        self.root = root
        self.places = {place.id: place for place in places}
        self.paths = paths
        self.stop_at = stop_at
        #: The files to load, or None for those of the command.
        self.files = self.job.get("files")

    def begin(self):
        be_quiet()
        # Tests can start runners too.
        os.environ.pop("ASSAY_MUTANTS", None)
        hook_imports()
        self.began = time.monotonic()
        if self.job["kind"] == "whole":
            place = self.places[self.job["id"]]
            changed_files[place.source.path] = place.changed()
            if not is_valid(place.changed()):
                self.fork.send(answer={"outcome": "invalid"})
                os._exit(0)
        if self.job["kind"] == "reach":
            self.lines = Lines(self.places.values(), self.paths)
            self.imports = Imports(self.root)
            self.imports.start()
            self.lines.start()

    def play(self, suite):
        """Never returns."""
        try:
            {"reach": self._reach, "warm": self._stay_warm, "whole": self._try_whole}[self.job["kind"]](suite)
        finally:
            os._exit(0)

    def fail_to_load(self, problem):
        """Answers for a process whose tests cannot be loaded."""
        self.fork.send(answer=dict(problem, outcome="failed"))
        os._exit(0)

    def _reach(self, suite):
        loading = self.lines.swap(set())
        edges = {importer: sorted(files) for importer, files in self.imports.edges.items()}
        ms = (time.monotonic() - self.began) * 1000
        disturbing = find_disturbing(self.root)
        known = set(self.job["known"])
        tests = [test for test in suite.tests if test.file not in known]
        load = {"ids": self.lines.reached(loading), "edges": edges, "ms": ms, "disturbing": disturbing}
        self.fork.send(load=dict(load, count=len(tests)))
        suite.run(tests[::-1] if self.job["is_reversed"] else tests, Reach(self.fork, self.lines))
        self.fork.send(answer={"outcome": "passed"})

    def _stay_warm(self, suite):
        threads = threading.active_count()
        self.fork.send(threads=threads)
        if threads > 1:
            # A fork has no threads, and may wait for a lock of theirs forever.
            self.fork.send(answer={"outcome": "passed", "isComplete": True})
            return
        functions = LoadedFunctions(self.paths)
        tests = {test.name: test for test in suite.tests}
        with open(self.job["jobs"], encoding="utf-8") as file:
            jobs = collections.deque(json.load(file))

        def take(job, message):
            end = message.get("end")
            if end and end["outcome"] == "passed" and job["again"]:
                jobs.append(job["again"])
            elif end:
                self.fork.send(tried={"job": job, "end": end})

        fork = run_forks(jobs, self.plan["workers"], self.stop_at, take, self.plan["folder"])
        if fork is True or fork is False:
            self.fork.send(answer={"outcome": "passed", "isComplete": fork})
            return
        os.close(self.fork.pipe)
        problem = functions.replace(self.places[fork.job["id"]])
        if problem:
            fork.send(answer={"outcome": problem})
        else:
            attempt(fork, suite, [tests[name] for name in fork.job["tests"] if name in tests])

    def _try_whole(self, suite):
        tests = {test.name: test for test in suite.tests}
        job = self.job
        chosen = [tests.pop(name) for name in job["tests"] if name in tests]
        if not chosen and not tests:
            self.fail_to_load({"error": "Empty", "message": "No tests were found."})
        # Their names can depend on the mutant.
        others = set(job["tests"]) | set(job["failing"])
        attempt(self.fork, suite, chosen + [test for name, test in tests.items() if name not in others and job["is_all"]])


def attempt(fork, suite, tests):
    trial = Trial(fork)
    suite.run(tests, trial)
    if not trial.is_answered:
        fork.send(answer={"outcome": "passed", "tries": len(tests)})


class Trial:
    """Ends with the first failure."""

    def __init__(self, fork):
        self.fork = fork
        self.is_answered = False
        self.count = 0

    def started(self, test):
        # Tests beyond those of the plan get the time of the last one.
        self.fork.send(at=min(self.count, len(self.fork.job["limits"]) - 1))
        self.count += 1

    def ended(self, test, failure):
        if failure and not self.is_answered:
            about = {"file": test.file, "test": test.name} if test else {}
            self.is_answered = True
            self.fork.send(answer=dict(about, outcome="failed", tries=self.count, **failure))
        return not self.is_answered

    def shared(self, tests):
        return contextlib.nullcontext()


class Reach:
    def __init__(self, fork, lines):
        self.fork = fork
        self.lines = lines

    def started(self, test):
        self.lines.swap(set())
        self.began = time.monotonic()

    def ended(self, test, failure):
        ms = (time.monotonic() - self.began) * 1000
        ids = self.lines.reached(self.lines.swap(set()))
        if test:
            self.fork.send(test={"name": test.name, "file": test.file, "ms": ms, "ids": ids, "failed": bool(failure)})
        return True

    @contextlib.contextmanager
    def shared(self, tests):
        before = self.lines.swap(set())
        began = time.monotonic()
        try:
            yield
        finally:
            seen = self.lines.swap(before)
            ms = (time.monotonic() - began) * 1000
            names = [test.name for test in tests]
            self.fork.send(shared={"tests": names, "ids": self.lines.reached(seen), "ms": ms})
