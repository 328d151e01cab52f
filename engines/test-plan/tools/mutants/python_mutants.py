"""
Tries mutants with pytest: `python -m pytest -p python_mutants`, with this folder in PYTHONPATH. See assay_mutants.

The process plans. Forks of it, which it makes before anything of the project is loaded, go on as pytest does. Projects
whose tests run in several processes or measure coverage work too, because both are turned off.
"""

import os

import pytest
from _pytest.runner import runtestprotocol

from assay_mutants.conduct import conduct
from assay_mutants.forks import be_quiet

role = conduct() if "ASSAY_MUTANTS" in os.environ else None
if role:
    role.begin()


class Test:
    def __init__(self, item, name, file):
        self.item = item
        self.name = name
        self.file = file


class Suite:
    def __init__(self, session):
        self.config = session.config
        self.tests = []
        self.failures = []
        names = {}
        for item in session.items:
            names[item.nodeid] = count = names.get(item.nodeid, 0) + 1
            name = item.nodeid if count == 1 else "%s #%d" % (item.nodeid, count)
            file = os.path.relpath(os.path.realpath(str(item.fspath)), role.root).replace(os.sep, "/")
            self.tests.append(Test(item, name, file))
        self.capture = self.config.pluginmanager.getplugin("capturemanager")
        if self.capture:
            self.capture.stop_global_capturing()
        be_quiet()
        #: The tests that use a fixture.
        self.users = {}
        for test in self.tests:
            info = getattr(test.item, "_fixtureinfo", None)
            for definitions in (info.name2fixturedefs if info else {}).values():
                for definition in definitions:
                    self.users.setdefault(id(definition), []).append(test)
        self.listener = None
        self.config.pluginmanager.register(self, "assay-mutants-suite")

    def run(self, tests, listener):
        self.listener = listener
        if self.capture:
            # Processes would write to the same files.
            self.capture.start_global_capturing()
        for position, test in enumerate(tests):
            following = tests[position + 1].item if position + 1 < len(tests) else None
            self.current = test
            listener.started(test)
            failure = self._run_item(test.item, following)
            if not listener.ended(test, failure):
                # Fixtures end what they have started.
                test.item.session._setupstate.teardown_exact(None)
                return

    def _run_item(self, item, following):
        self.failures.clear()
        try:
            reports = runtestprotocol(item, log=False, nextitem=following)
        except BaseException as problem:
            # Such as KeyboardInterrupt, and the end of the session.
            return {"error": type(problem).__name__, "message": str(problem)[:300]}
        for report in reports + self.failures:
            if report.failed:
                return failure_of(report)
        return None

    def pytest_runtest_logreport(self, report):
        # Parts of tests report by themselves.
        if report.failed:
            self.failures.append(report)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function" or not self.listener:
            yield
            return
        with self.listener.shared(self.users.get(id(fixturedef), [self.current])):
            yield


def failure_of(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    message = crash.message if crash else str(report.longrepr or "")
    error = message.split(":")[0].split("\n")[0]
    return {"error": error if error.isidentifier() else "Error", "message": message[:300]}


@pytest.hookimpl(hookwrapper=True)
def pytest_load_initial_conftests(early_config):
    # Coverage starts here, and its trace would replace ours.
    options = early_config.known_args_namespace
    if role and hasattr(options, "no_cov"):
        options.no_cov = True
        options.cov_source = []
    yield


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if not role:
        return
    # Tests run in this process, also if the project wants others. Long tracebacks take longer than most tests.
    for name, value in (("numprocesses", None), ("dist", "no"), ("tx", []), ("no_cov", True), ("usepdb", False), ("tbstyle", "native")):
        if hasattr(config.option, name):
            setattr(config.option, name, value)
    if role.files is not None:
        config.args = [os.path.join(role.root, file) for file in role.files]


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if not role:
        return None
    if session.testsfailed and role.job["kind"] == "whole":
        role.fail_to_load({"error": "ImportError", "message": "The tests cannot be collected."})
    role.play(Suite(session))
