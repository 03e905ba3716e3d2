"""The memory of this process (Linux)."""

from __future__ import annotations

from pathlib import Path


def forget_peak() -> None:
    """Reset the peak to the present use."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_gigabytes() -> float:
    """The most that this process has had in memory since then."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 2**20
    raise OSError("/proc/self/status has no VmHWM")
