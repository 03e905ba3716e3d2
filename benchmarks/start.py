"""How long a command takes that computes nothing."""

import resource
import subprocess
import sys


def main() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", "from askwise.cli import main; main()", "--help"]
    for _ in range(10):
        subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) / 10
    print(f"askwise --help: {spent:.3f} s of CPU time (bound: 0.3)")


if __name__ == "__main__":
    main()
