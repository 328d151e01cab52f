"""Tries mutants with unittest: `python unittest_mutants.py [targets]`. See assay_mutants."""

import importlib.util
import os
import sys
import unittest

here = os.path.dirname(os.path.realpath(__file__))


def load_tool(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Test:
    def __init__(self, case, name, file):
        self.case = case
        self.name = name
        self.file = file


class Suite:
    def __init__(self, suite, file_of):
        self.tests = []
        names = {}
        for case in cases_of(suite):
            names[case.id()] = count = names.get(case.id(), 0) + 1
            name = case.id() if count == 1 else "%s #%d" % (case.id(), count)
            self.tests.append(Test(case, name, file_of(case)))

    def run(self, tests, listener):
        suite = SharingSuite([test.case for test in tests])
        suite.tests, suite.listener = tests, listener
        suite.run(Result({id(test.case): test for test in tests}, listener))


class SharingSuite(unittest.TestSuite):
    """Tells the listener what is set up for several tests."""

    def _handleModuleFixture(self, test, result):
        module = type(test).__module__
        with self.listener.shared([one for one in self.tests if type(one.case).__module__ == module]):
            super()._handleModuleFixture(test, result)

    def _handleClassSetUp(self, test, result):
        with self.listener.shared([one for one in self.tests if type(one.case) is type(test)]):
            super()._handleClassSetUp(test, result)


class Result(unittest.TestResult):
    def __init__(self, tests, listener):
        super().__init__()
        self.tests = tests
        self.listener = listener
        self.failure = None
        self.is_inside = False

    def startTest(self, test):
        super().startTest(test)
        self.failure = None
        self.is_inside = True
        self.listener.started(self.tests[id(test)])

    def stopTest(self, test):
        super().stopTest(test)
        self.is_inside = False
        if not self.listener.ended(self.tests[id(test)], self.failure):
            self.stop()

    def fail(self, error):
        self.failure = {"error": error[0].__name__, "message": str(error[1])[:300]}
        # Something that is set up for several tests.
        if not self.is_inside and not self.listener.ended(None, self.failure):
            self.stop()

    def addError(self, test, err):
        super().addError(test, err)
        self.fail(err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.fail(err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.fail(err)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.failure = {"error": "UnexpectedSuccess", "message": "Expected to fail, but it passed."}


def cases_of(suite):
    if isinstance(suite, unittest.TestSuite):
        for inner in suite:
            yield from cases_of(inner)
    else:
        yield suite


def main():
    from assay_mutants.conduct import conduct

    tool = load_tool("unittest_junit", os.path.join(os.path.dirname(here), "unittest_junit.py"))
    role = conduct()
    targets = sys.argv[1:]
    # Python put this file's folder there, where `python -m unittest` puts the current one.
    sys.path[0] = os.getcwd()
    sys.argv = ["python -m unittest"] + targets
    role.begin()
    if role.files is not None:
        targets = [os.path.relpath(os.path.join(role.root, file)) for file in role.files]
    role.play(Suite(tool.discovered(targets), lambda case: tool.place_of(case)[2]))


if __name__ == "__main__":
    main()
