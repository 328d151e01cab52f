"""Runs jobs in forks of this process, some at once, each for a limited time."""

import gc
import json
import os
import select
import shutil
import signal
import tempfile
import time

#: After its answer, a process may end what its tests started.
ENDING_SECONDS = 2
LOOK_AHEAD = 100
#: How long a process that closed its pipe may take to end.
POLL_SECONDS = 0.01


class Fork:
    """The side of the process that does the job."""

    def __init__(self, job, pipe):
        self.job = job
        self.pipe = pipe

    def send(self, **message):
        text = (json.dumps(message) + "\n").encode()
        while text:
            text = text[os.write(self.pipe, text) :]


class Running:
    def __init__(self, job, pid, pipe, folder):
        self.job = job
        self.pid = pid
        self.pipe = pipe
        self.folder = os.path.join(folder, str(pid))
        self.started = time.monotonic()
        self.deadline = self.started + job["start_limit"]
        self.computed = 0
        self.is_extended = False
        self.position = None
        self.text = b""
        self.answer = None
        self.is_open = True

    def read(self):
        """Reads what the process sends. Returns its messages."""
        chunk = os.read(self.pipe, 1 << 16)
        self.is_open = bool(chunk)
        *lines, self.text = (self.text + chunk).split(b"\n")
        messages = []
        for message in map(json.loads, lines):
            if "at" in message:
                self.position = message["at"]
                self.deadline = time.monotonic() + self.job["limits"][self.position]
                self.computed = processor_seconds(self.pid)
                self.is_extended = False
            elif "answer" in message:
                self.answer = message["answer"]
                self.deadline = time.monotonic() + ENDING_SECONDS
            else:
                messages.append(message)
        return messages

    def has_ended(self):
        if self.is_open:
            return False
        ended, status = os.waitpid(self.pid, os.WNOHANG)
        if ended and not self.answer:
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            self.answer = {"outcome": "failed", "error": "Exit", "message": "The process ended with %d." % code}
        return bool(ended)

    def is_late(self):
        now = time.monotonic()
        if now <= self.deadline or self.answer:
            return now > self.deadline
        limit = self.job["start_limit"] if self.position is None else self.job["limits"][self.position]
        # On a busy machine, a process may have had no chance yet.
        if not self.is_extended and processor_seconds(self.pid) - self.computed < limit / 2:
            self.is_extended = True
            self.deadline = now + 2 * limit
            return False
        return True

    def kill(self):
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except OSError:
            pass
        try:
            os.waitpid(self.pid, 0)
        except OSError:
            pass
        os.close(self.pipe)
        shutil.rmtree(self.folder, ignore_errors=True)


def run_forks(jobs, workers, stop_at, take, folder):
    """
    Runs a deque of jobs, to which `take(job, message)` may add others. Returns a `Fork` in the processes of jobs, and at
    the end whether all were done. Each has its own folder in `folder` for temporary files.
    """
    running = []
    gc.collect()
    # The collector would write to all objects, and copy their memory to each process.
    gc.freeze()
    while jobs or running:
        while jobs and len(running) < workers and time.time() < stop_at:
            job = next_job(jobs, running)
            if job is None:
                break
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                for other in running:
                    os.close(other.pipe)
                os.close(read)
                use_folder(os.path.join(folder, str(os.getpid())))
                return Fork(job, write)
            os.close(write)
            set_group(pid)
            running.append(Running(job, pid, read, folder))
        if time.time() >= stop_at:
            for one in running:
                one.kill()
            return not jobs and not running
        soon = min(one.deadline for one in running) - time.monotonic()
        if not all(one.is_open for one in running):
            soon = min(soon, POLL_SECONDS)
        wait = max(0, min(soon, stop_at - time.time()))
        ready = select.select([one.pipe for one in running if one.is_open], [], [], wait)[0]
        for one in list(running):
            if one.pipe in ready:
                for message in one.read():
                    take(one.job, message)
            if not one.has_ended() and not one.is_late() and not (one.answer and not one.is_open):
                continue
            one.kill()
            running.remove(one)
            answer = one.answer or {"outcome": "timed_out"}
            seconds = time.monotonic() - one.started
            take(one.job, {"end": dict(answer, ms=round(seconds * 1000, 1), at=one.position)})
    return True


def next_job(jobs, running):
    """Takes the next job that may run beside the others: of those that must be alone, one runs at a time."""
    if not any(one.job.get("is_alone") for one in running):
        return jobs.popleft()
    for index in range(min(len(jobs), LOOK_AHEAD)):
        if not jobs[index].get("is_alone"):
            job = jobs[index]
            del jobs[index]
            return job
    return None


def processor_seconds(pid):
    """How long a process has computed, where the system tells."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return float("inf")


def use_folder(path):
    """Temporary files of tests go there: many are never deleted, and two processes must not share them."""
    os.makedirs(path, exist_ok=True)
    tempfile.tempdir = os.environ["TMPDIR"] = path


def set_group(pid):
    try:
        os.setpgid(pid, pid)
    except OSError:
        # It has already ended, or done so itself.
        pass


def be_quiet():
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
