"""One fork per job, from a process that has done the slow imports. Ends, and ends its jobs, when standard input closes.

That also happens when the app is killed: what it could not remove then is removed here.
"""

import json
import os
import select
import shutil
import signal
import sys

from child_job import do


def serve():
    """Start, kill and reap jobs until standard input closes; a job's return code goes into its folder as `ended`."""
    _import_all()
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    jobs, folders, rest = {}, set(), b""
    while True:
        ready, _, _ = select.select([0, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            _reap(jobs)
        if 0 not in ready:
            continue
        read = os.read(0, 65536)
        if not read:
            for pid in jobs:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)
        *lines, rest = (rest + read).split(b"\n")
        for line in lines:
            what, folder, *used = json.loads(line)
            if what == "start":
                folders = {folder for folder in folders if os.path.exists(folder)} | {folder, *used}
                pid = os.fork()
                if pid == 0:
                    _become_job(folder, wake, waker)
                jobs[pid] = folder
            for pid in [pid for pid, job_folder in jobs.items() if what == "kill" and job_folder == folder]:
                os.kill(pid, signal.SIGKILL)


def _import_all():
    try:
        import numpy
        import onnx

        del numpy, onnx
        if sys.argv[-1] != "--without-onnxruntime":
            import onnxruntime

            del onnxruntime
            if len(os.listdir("/proc/self/task")) > 1:  # it has started a thread, and forking with threads is unsafe
                os.execv(sys.executable, [*sys.orig_argv, "--without-onnxruntime"])
    except (ImportError, OSError):
        pass  # the job reports it


def _become_job(folder, wake, waker):
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(wake)
        os.close(waker)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        os.close(nothing)
        do(folder)
    finally:
        os._exit(1)


def _reap(jobs):
    while jobs:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        try:  # the target of a link, not a file: it takes no room on a full disk, and is there at once
            os.symlink(str(os.waitstatus_to_exitcode(status)), os.path.join(jobs.pop(pid), "ended"))
        except OSError:  # the folder is gone: nobody waits any more
            continue
