"""Kernels are compiled by one process at a time; others read what it kept."""

import fcntl

import numpy as np
import pytest

from hierviz.compiled.compiling import first_call, is_compiled

NAMED = "kernels", np.dtype(np.float64)


def locks(folder):
    return sorted((folder / "hierviz").glob("*.lock"))


def is_held(path):
    with open(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_others_wait_for_the_first_call(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert not is_compiled(*NAMED)
    with first_call(*NAMED, was_compiled=False):
        (lock,) = locks(tmp_path)
        assert is_held(lock)
    assert not is_held(lock)
    assert is_compiled(*NAMED)


def test_a_call_that_fails_gives_the_lock_back_and_leaves_no_mark(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(KeyboardInterrupt), first_call(*NAMED, was_compiled=False):
        raise KeyboardInterrupt
    assert not is_held(*locks(tmp_path))
    assert not is_compiled(*NAMED)


def test_a_folder_that_cannot_be_written_has_no_lock(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with first_call(*NAMED, was_compiled=False):
        assert not is_compiled(*NAMED)
