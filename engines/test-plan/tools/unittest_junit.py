"""Runs unittest as `python -m unittest -v` does, and writes a JUnit report beside it. Standard library only."""

import argparse
import faulthandler
import fnmatch
import inspect
import os
import random
import re
import sys
import time
import traceback
import unittest
from xml.sax.saxutils import escape, quoteattr

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text):
    return NOT_XML.sub("\ufffd", str(text))


def place_of(test):
    """Class, name, file and line of a test, or of what stands in for one."""
    if isinstance(test, unittest.suite._ErrorHolder):
        # setUpClass (module.Class), setUpModule (module)
        match = re.match(r"(\w+) \((.*)\)$", test.description)
        name, owner = match.groups() if match else (test.description, "")
        return owner, name, file_of(owner), None
    if type(test).__name__ == "_FailedTest":
        # The loader names only the last part of the target.
        module = getattr(test, "target", test._testMethodName)
        return module, "import", file_of(module), None
    kind = type(test)
    if type(test).__name__ == "DocTestCase":
        found = test._dt_test
        return "doctest", found.name, relative(found.filename), (found.lineno or 0) + 1
    if isinstance(test, unittest.FunctionTestCase):
        name, method, owner = test._testFunc.__name__, test._testFunc, test._testFunc.__module__
    else:
        name = getattr(test, "_testMethodName", str(test))
        method, owner = getattr(kind, name, None), kind.__module__ + "." + kind.__qualname__
    # Decorators such as `skip` put a function of their own around it.
    code = getattr(inspect.unwrap(getattr(method, "__func__", method)), "__code__", None) if method else None
    module = sys.modules.get(kind.__module__)
    return owner, name, relative(getattr(module, "__file__", None)), code.co_firstlineno if code else None


def file_of(owner):
    parts = owner.split(".")
    for end in range(len(parts), 0, -1):
        loaded = sys.modules.get(".".join(parts[:end]))
        if getattr(loaded, "__file__", None):
            return relative(loaded.__file__)
        path = os.path.join(*parts[:end])
        for folder in [""] + loose_folders():
            for candidate in (path + ".py", os.path.join(path, "__init__.py")):
                if os.path.exists(os.path.join(folder, candidate)):
                    return os.path.join(folder, candidate).replace(os.sep, "/")
    return None


def relative(path):
    if not path:
        return None
    path = os.path.relpath(path)
    return None if path.startswith("..") else path.replace(os.sep, "/")


class Result(unittest.TextTestResult):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.cases = []
        self.current = None
        self.started = {}

    def startTest(self, test):
        self.started[id(test)] = time.perf_counter()
        self.current = []
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        seconds = time.perf_counter() - self.started.pop(id(test), time.perf_counter())
        outcomes = self.current or []
        # A test whose sub-tests failed or were skipped says nothing more itself.
        whole = [outcome for outcome in outcomes if outcome[0] is None]
        parts = [outcome for outcome in outcomes if outcome[0] is not None]
        for subtest, kind, message, detail in parts:
            self.record(test, subtest, kind, message, detail, 0.0)
        if whole:
            worst = max(whole, key=lambda outcome: ("passed", "skipped", "failure", "error").index(outcome[1]))
            self.record(test, None, *worst[1:], seconds)
        elif not parts:
            self.record(test, None, "passed", "", "", seconds)
        self.current = None

    def record(self, test, subtest, kind, message, detail, seconds):
        suite, name, path, line = place_of(test)
        if subtest is not None:
            name += " " + subtest
        self.cases.append((suite, name, path, line, kind, message, detail, seconds))

    def note(self, test, kind, message, detail):
        if self.current is None:
            # Errors of setUpClass and setUpModule happen outside any test.
            self.record(test, None, kind, message, detail, 0.0)
        else:
            self.current.append((None, kind, message, detail))

    def failed(self, test, kind, error):
        self.note(test, kind, first_line(error), self._exc_info_to_string(error, test))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "passed", "", "")

    def addError(self, test, err):
        super().addError(test, err)
        self.failed(test, "error", err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failed(test, "failure", err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if hasattr(test, "test_case") and self.current is not None:
            self.current.append((subtest_name(test), "skipped", reason, ""))
        else:
            self.note(test, "skipped", reason, "")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note(test, "passed", "", "")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "failure", "Expected to fail, but it passed.", "")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is None:
            outcome = (subtest_name(subtest), "passed", "", "")
        else:
            kind = "failure" if issubclass(err[0], test.failureException) else "error"
            outcome = (subtest_name(subtest), kind, first_line(err), self._exc_info_to_string(err, test))
        self.current.append(outcome)


def subtest_name(subtest):
    return subtest._subDescription()


def first_line(error):
    text = "".join(traceback.format_exception_only(error[0], error[1])).strip()
    return text[:4000]


def write_report(path, cases, seconds):
    count = lambda kind: sum(case[4] == kind for case in cases)
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    lines.append(
        '<testsuites><testsuite name="unittest" tests="%d" failures="%d" errors="%d" skipped="%d" time="%.3f">'
        % (len(cases), count("failure"), count("error"), count("skipped"), seconds)
    )
    for suite, name, file, line, kind, message, detail, duration in cases:
        place = (" file=" + quoteattr(clean(file)) if file else "") + (' line="%d"' % line if line else "")
        lines.append(
            "<testcase classname=%s name=%s%s time=\"%.6f\">" % (quoteattr(clean(suite)), quoteattr(clean(name)), place, duration)
        )
        if kind == "skipped":
            lines.append("<skipped message=%s/>" % quoteattr(clean(message)))
        elif kind != "passed":
            lines.append("<%s message=%s>%s</%s>" % (kind, quoteattr(clean(message)), escape(clean(detail)), kind))
        lines.append("</testcase>")
    lines.append("</testsuite></testsuites>")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    # Written at once under another name: a report that breaks off must not be read.
    with open(path + ".part", "w", encoding="utf-8") as report:
        report.write("\n".join(lines) + "\n")
    os.replace(path + ".part", path)


def discovered(targets):
    loader = Loader()
    if targets:
        suites = []
        for target in targets:
            if os.path.isdir(target):
                suites.append(discover_in(loader, target))
            else:
                suites.append(load(loader, importable(target)))
        return unittest.TestSuite(suites)
    return unittest.TestSuite([discover_in(Loader(), place) for place in ["."] + loose_folders()])


def load(loader, name):
    suite = loader.loadTestsFromName(name)
    for test in [suite] if isinstance(suite, unittest.TestCase) else suite:
        if type(test).__name__ == "_FailedTest" and str(test._exception).startswith("Failed to import"):
            test.target = name
    return suite


def shuffle(suite, order):
    """Tests of one class stay together, as do classes of one module: what is set up once for them is set up once."""
    if isinstance(suite, unittest.TestSuite):
        order.shuffle(suite._tests)
        for inner in suite._tests:
            shuffle(inner, order)


def importable(target):
    """A dotted name as discovery would have it, with the folder that it is imported from on the path."""
    name = target[:-3].replace("/", ".").lstrip(".") if target.endswith(".py") else target
    for folder in sorted(loose_folders(), key=len, reverse=True):
        prefix = folder.replace(os.sep, ".") + "."
        if name.startswith(prefix):
            sys.path.insert(0, os.path.abspath(folder))
            return name[len(prefix):]
    return name


def loose_folders():
    """Folders for tests that are no packages, which discovery does not enter by itself."""
    found = []
    for place in ("tests", "test"):
        for folder, below, files in os.walk(place):
            below[:] = sorted(name for name in below if not os.path.exists(os.path.join(folder, name, "__init__.py")))
            if "__init__.py" in files:
                break
            if any(matches(name) for name in files):
                found.append(folder)
    return found


def matches(name):
    return fnmatch.fnmatch(name, "test*.py") or fnmatch.fnmatch(name, "*_test.py")


class Loader(unittest.TestLoader):
    def _match_path(self, path, full_path, pattern):
        return matches(path)


def discover_in(loader, folder):
    top = "." if os.path.exists(os.path.join(folder, "__init__.py")) else None
    return loader.discover(folder, top_level_dir=top)


def start_coverage(folder):
    # Last, so that a package of the project comes first. It stays there, since coverage imports its parts later.
    if folder and os.path.isdir(folder):
        sys.path.append(folder)
    try:
        import coverage
        measured = coverage.Coverage(data_file=None, source=["."], branch=True)
        measured.start()
    except Exception as problem:
        print("# No coverage: %s" % problem, file=sys.stderr)
        return None
    return measured


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", required=True)
    parser.add_argument("--coverage")
    parser.add_argument("--coverage-from", metavar="FOLDER")
    parser.add_argument("--shuffle", type=int)
    parser.add_argument("--stacks-after", type=float, metavar="SECONDS")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    # Python put this file's folder there, where `python -m unittest` puts the current one.
    sys.path[0] = os.getcwd()
    sys.argv = ["python -m unittest"] + options.targets
    if options.stacks_after:
        faulthandler.dump_traceback_later(options.stacks_after, repeat=True)
    measured = start_coverage(options.coverage_from) if options.coverage else None
    started = time.perf_counter()
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result, warnings=None if sys.warnoptions else "default")
    result = None
    try:
        suite = discovered(options.targets)
        if options.shuffle is not None:
            shuffle(suite, random.Random(options.shuffle))
        result = runner.run(suite)
    finally:
        if measured:
            measured.stop()
            save_coverage(measured, options.coverage)
        if result is not None:
            write_report(options.output, result.cases, time.perf_counter() - started)
    sys.exit(5 if result.testsRun == 0 and not result.errors else 0 if result.wasSuccessful() else 1)


def save_coverage(measured, path):
    import coverage

    try:
        measured.xml_report(outfile=path, ignore_errors=True)
    except coverage.CoverageException as problem:
        print("No coverage: %s" % problem, file=sys.stderr)


if __name__ == "__main__":
    main()
