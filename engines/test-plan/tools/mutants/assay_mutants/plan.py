"""Decides from the reach of the tests which of them try which mutant, and what their results say."""

import json
import os

from .places import markers_of

#: A test runs until it takes this many times as long as without a mutant, and another second.
PATIENCE = 10
#: Fixtures and imports take longer when several processes start at once.
LOADING_SECONDS = 10


class Test:
    def __init__(self, name, file, ms):
        self.name = name
        self.file = file
        self.ms = ms
        #: For fixtures that it shares with other tests.
        self.shared_ms = 0
        #: The mutants it reaches when the tests run in their order, and in the opposite one.
        self.reaches = {False: set(), True: set()}
        self.passes = {}

    @property
    def is_known(self):
        return self.passes.get(False, False)

    @property
    def passes_alone(self):
        # A test that needs one before it fails in the opposite order.
        return self.is_known and self.passes.get(True, False)

    @property
    def limit(self):
        return 1 + PATIENCE * (self.ms + self.shared_ms) / 1000


class Plan:
    def __init__(self, places, root, folder, test_files=(), known=None):
        self.places = places
        self.test_files = test_files
        #: What the tests of files are known to reach. These pass in each order.
        self.known = known or {}
        #: How many tests are not known.
        self.count = None
        self.root = root
        self.folder = folder
        self.tests = {}
        self.load_ids = set()
        self.load_ms = 0
        self.edges = {}
        #: See `find_disturbing`.
        self.disturbing = {"opens": set(), "writes": set(), "own": set()}
        self.imports = {}
        self.is_measured = False
        self.is_complete = False
        self.threads = None
        self.whole = []
        self.open = {}
        for file, tests in self.known.items():
            for seen in tests:
                if seen["test"] is not None:
                    test = self._test(seen["test"], file)
                    test.ms = seen["ms"]
                    test.passes = {False: True, True: True}
                    test.reaches = {False: set(seen["probes"]), True: set(seen["probes"])}

    def take(self, job, message):
        """Takes what a run of all tests reports about their reach."""
        is_reversed = job["is_reversed"]
        if "load" in message:
            load = message["load"]
            self.load_ids.update(load["ids"])
            self.load_ms = max(self.load_ms, load["ms"])
            for importer, files in load["edges"].items():
                self.edges.setdefault(importer, set()).update(files)
            for kind, files in load["disturbing"].items():
                self.disturbing[kind].update(files)
            self.count = load["count"]
            self.is_measured = True
        elif "test" in message:
            seen = message["test"]
            test = self._test(seen["name"], seen["file"])
            test.ms = max(test.ms, seen["ms"])
            test.passes[is_reversed] = not seen["failed"]
            test.reaches[is_reversed].update(seen["ids"])
        elif "shared" in message:
            shared = message["shared"]
            for name in shared["tests"]:
                test = self._test(name, None)
                test.shared_ms = max(test.shared_ms, shared["ms"])
                test.reaches[is_reversed].update(shared["ids"])

    def _test(self, name, file):
        test = self.tests.setdefault(name, Test(name, file, 0))
        test.file = test.file or file
        return test

    @property
    def needs_known(self):
        """Whether tests fail, perhaps because those that are known did not run before them."""
        return bool(self.known) and not all(test.is_known for test in self.tests.values() if test.passes)

    def decide_plan(self, events):
        """Makes the jobs, and tells the host what the tests reach."""
        ran = [test for test in self.tests.values() if False in test.passes]
        known = [test for test in ran if test.is_known]
        self.failing = [test.name for test in ran if not test.is_known]
        files = self._files_that_load(known)
        markers = {}
        for place in self.places:
            path = place.source.path
            # What the host expects of a file that is loaded.
            markers[path] = max(markers.get(path, -2 * place.id), -2 * place.id)
        functions, loads = list(markers_of(self.places)), {}
        for file in {test.file for test in known}:
            ids = [place.id for place in self.places if self._is_loaded(place) and file in files[place.source.path]]
            ids += [marker for path, marker in markers.items() if file in files[path]]
            ids += [marker for path, _, marker in functions if marker in self.load_ids and file in files[path]]
            loads[file] = ids
        # The host would take tests that depend on others as known, and would not see that. It waits for the load of a file.
        bound = {test.file for test in ran if not test.passes_alone or test.reaches[False] != test.reaches[True]}
        for test in ran:
            ids = test.reaches[False] | test.reaches[True]
            ids.update(loads.get(test.file, ()) if test.file in bound else ())
            ms = round(test.ms + test.shared_ms, 1)
            failed = not test.is_known
            events.write(kind="reach", file=test.file, test=test.name, ms=ms, failed=failed, probes=sorted(ids))
            if test.is_known and not test.passes_alone:
                events.write(kind="unclean", file=test.file, test=test.name, ids=[])
        for file, ids in loads.items():
            if file not in bound:
                events.write(kind="load", file=file, ms=round(self.load_ms, 1), probes=ids)
        kept = sum(seen["test"] is not None for tests in self.known.values() for seen in tests)
        events.write(kind="ready", tests=len(ran), failed=len(self.failing), kept=kept, isComplete=True)
        reaching, dependent = {}, set()
        for test in known:
            both = test.reaches[False] | test.reaches[True]
            # What one order reaches and the other does not is kept from test to test.
            dependent.update(both if not test.passes_alone else test.reaches[False] ^ test.reaches[True])
            for id in both:
                reaching.setdefault(id, []).append(test)
        self.warm = []
        for number, place in enumerate(self.places):
            if place.is_done:
                continue
            self._plan_mutant(number, place, known, reaching, dependent, files, events)

    def _plan_mutant(self, number, place, known, reaching, dependent, files, events):
        accepted = {self.test_files[index] for index in place.accepted}
        if accepted:
            known = [test for test in known if test.file not in accepted]
        reached_by = [test for test in reaching.get(place.id, []) if test.file not in accepted]
        is_reached = reached_by or place.id in reaching or (self._is_loaded(place) and files[place.source.path])
        alone = [test for test in reached_by if test.passes_alone]
        first = place.first or {}
        is_later = lambda test: test.name != first.get("test") or test.file != first.get("path")
        alone.sort(key=lambda test: (is_later(test), len(test.reaches[False]), test.ms))
        loading = files[place.source.path] - accepted if self._is_loaded(place) else set()
        if accepted and is_reached and not reached_by and not loading:
            events.write(kind="decided", outcome="survived", id=place.id, kept=True)
            return
        job = None
        if place.function and reached_by:
            names = {test.file for test in reached_by}
            again = self._job(number, place, [test for test in known if test.file in names])
            job = dict(self._job(number, place, alone), again=again if place.id in dependent else None)
            again["again"] = None
            self.warm.append(job if alone else again)
        if loading or (reached_by and not place.function):
            # Code that runs when files are loaded can matter to each of their tests.
            loading = loading | {test.file for test in reached_by}
            first = [test for test in alone if test.file in loading]
            same_file = {other.id for other in self.places if other.source is place.source}
            rest = [test for test in known if test.file in loading and test.passes_alone and test not in first]
            rest.sort(key=lambda test: (not same_file & test.reaches[False], test.ms))
            self.whole.append(self._whole(self._job(number, place, first + rest), is_all=True))
        elif job:
            # For the case that its function cannot be replaced.
            self.open[place.id] = self._whole(dict(job if alone else again), is_all=False)

    def _job(self, number, place, tests):
        limits = [test.limit for test in tests]
        names = [test.name for test in tests]
        files = sorted({test.file for test in tests})
        job = {"number": number, "id": place.id, "tests": names, "files": files, "limits": limits, "start_limit": 5}
        return dict(job, is_alone=any(map(self._may_disturb, filter(None, files))))

    def _whole(self, job, is_all):
        start_limit = LOADING_SECONDS + PATIENCE * self.load_ms / 1000
        limits = job["limits"] + [max(job["limits"], default=1)]
        return dict(job, kind="whole", is_all=is_all, failing=self.failing, start_limit=start_limit, limits=limits)

    def _is_loaded(self, place):
        return not place.function or place.id in self.load_ids

    def _files_that_load(self, known):
        """The files with tests that import each file with mutants, directly or not."""
        found = {place.source.path: set() for place in self.places}
        every = {test.file for test in known if test.file}
        for file in every:
            for path in self._imported_by(file) & found.keys():
                found[path].add(file)
        for place in self.places:
            # It was imported, in a way that cannot be followed.
            if place.id in self.load_ids and not found[place.source.path]:
                found[place.source.path] = every
        return found

    def _imported_by(self, file):
        """The files that a test file imports, directly or not, and itself."""
        if file in self.imports:
            return self.imports[file]
        seen, waiting = set(), [os.path.join(self.root, file)]
        folder = os.path.dirname(waiting[0])
        while folder.startswith(self.root):
            waiting.append(os.path.join(folder, "conftest.py"))
            folder = os.path.dirname(folder)
        while waiting:
            path = waiting.pop()
            if path not in seen:
                seen.add(path)
                waiting.extend(self.edges.get(path, ()))
        self.imports[file] = seen
        return seen

    @property
    def may_disturb(self):
        """Whether two runs of all tests could disturb each other."""
        return bool(self.disturbing["opens"] or self.disturbing["writes"] - self.disturbing["own"])

    def _may_disturb(self, file):
        files, own = self._imported_by(file), self.disturbing["own"]
        if os.path.join(self.root, file) not in own and files & (self.disturbing["writes"] - own):
            return True
        return bool(files & self.disturbing["opens"])

    def write_warm(self):
        path = os.path.join(self.folder, "warm.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.warm, file)
        return path

    def take_warm(self, message, events):
        if "threads" in message:
            self.threads = message["threads"]
        if "end" in message:
            self.is_complete = message["end"].get("isComplete", False)
        if "tried" not in message:
            return
        job, end = message["tried"]["job"], message["tried"]["end"]
        fallback = self.open.pop(job["id"], None)
        if end["outcome"] == "whole":
            self.whole.extend([fallback] if fallback else [])
        elif end["outcome"] != "passed" or fallback:
            self.decide(job, end, events)
        if end["outcome"] not in ("whole", "passed"):
            self.whole = [one for one in self.whole if one["id"] != job["id"]]

    def whole_jobs(self):
        """What needs a new process: all, if the tests cannot be forked."""
        can_fork = self.threads == 1
        return sorted(self.whole + ([] if can_fork else list(self.open.values())), key=lambda job: job["number"])

    def take_whole(self, job, message, events):
        if "end" in message:
            self.decide(job, message["end"], events)

    def decide(self, job, end, events):
        """Tells the host what the tests say about a mutant."""
        outcome, at = end["outcome"], end["at"]
        file, name = end.get("file"), end.get("test")
        if outcome == "timed_out" and at is not None and at < len(job["tests"]):
            name = job["tests"][at]
            file = self.tests[name].file
        tried = dict(id=job["id"], file=file, test=name, ms=end["ms"])
        tried.update((key, end[key]) for key in ("error", "message") if key in end)
        if outcome in ("failed", "timed_out"):
            events.write(kind="tried", outcome=outcome, **tried)
            events.write(kind="decided", outcome="noticed" if outcome == "failed" else outcome, **tried)
        elif outcome == "passed":
            events.write(kind="decided", outcome="survived", id=job["id"], tries=end.get("tries", len(job["tests"])))
        else:
            events.write(kind="decided", outcome=outcome, id=job["id"])
