"""Plans which tests try which mutants, in a process that loads nothing of the project."""

import collections
import json
import os
import shutil
import tempfile
import time

from .forks import run_forks
from .places import Paths, read_places
from .plan import Plan
from .roles import Role


def conduct():
    """
    Tries the mutants and ends the process. Forks of it return, with the `Role` they have: they load the tests, and call
    its methods.
    """
    folder = os.environ["ASSAY_MUTANTS"]
    plan, root, places = read_places(folder)
    paths = Paths({place.source.path for place in places})
    events = Events(os.path.join(folder, "events.jsonl"))
    stop_at = plan["stopAt"] / 1000
    plan["workers"] = workers = plan.get("workers") or os.cpu_count() or 1
    plan["folder"] = tempfile.mkdtemp(prefix="assay-mutants-")
    long = max(0, stop_at - time.time()) + 60

    def fork_all(jobs, take, workers=workers, stop_at=stop_at):
        fork = run_forks(jobs, workers, stop_at, take, plan["folder"])
        return fork if isinstance(fork, bool) else Role(fork, plan, root, places, paths, plan["stopAt"] / 1000)

    for known in (plan.get("known", {}), {}):
        reach = Plan(places, root, folder, plan.get("testFiles", []), known)
        done = fork_all(*reach_jobs(reach, {"kind": "reach", "known": list(known), "start_limit": long, "limits": []}))
        if isinstance(done, Role):
            return done
        if not done or not reach.needs_known:
            break
    is_complete = done and reach.is_measured
    if is_complete:
        reach.decide_plan(events)
        # It ends its own forks in time.
        warm = {"kind": "warm", "jobs": reach.write_warm(), "start_limit": long, "limits": []}
        take_warm = lambda job, message: reach.take_warm(message, events)
        done = fork_all(collections.deque([warm]), take_warm, 1, stop_at + 5)
        if isinstance(done, Role):
            return done
        rest = fork_all(collections.deque(reach.whole_jobs()), lambda job, message: reach.take_whole(job, message, events))
        if isinstance(rest, Role):
            return rest
        is_complete = done and rest and reach.is_complete
    elif done:
        events.write(kind="error", message="The tests cannot be loaded.")
    shutil.rmtree(plan["folder"], ignore_errors=True)
    events.write(kind="end", isComplete=bool(is_complete))
    os._exit(0)


def reach_jobs(reach, job):
    """Runs all tests in their order and in the opposite one. Returns the jobs and what takes their messages."""
    jobs, waiting = collections.deque([dict(job, is_reversed=False)]), [dict(job, is_reversed=True)]

    def take(job, message):
        reach.take(job, message)
        if reach.count == 0:
            waiting.clear()
        # The second run begins as soon as it is known whether it could disturb the first one.
        if "end" in message or ("load" in message and not reach.may_disturb):
            jobs.extend(waiting)
            waiting.clear()

    return jobs, take


class Events:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")

    def write(self, **event):
        self.file.write(json.dumps(event) + "\n")
        self.file.flush()
