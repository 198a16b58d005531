"""Fails, with their names, where there are operators that no test launches on the device in software.

    launched_kernels.py FOLDER      the reports that the tests have left (tests/software_device.cmake)

An operator counts as launched where any of its instances is: for 2D or 3D, single or double precision. Kernels of other
libraries choose among themselves by the size of the work and are not asked for.
"""

import json
import pathlib
import re
import sys


def operator(kernel):
    """firn::G2P2G of "void firn::run_groups<firn::G2P2G<3, 2, float> >(...)"; None for another library's kernel."""
    found = re.search(r"\brun_(?:groups|items|team)<([^<>(]*(?:\(anonymous namespace\)[^<>(]*)?)", kernel)
    if found:
        return found.group(1)
    own = re.match(r"(?:void )?(firn::[\w:()\s]*?\w+)[<(]", kernel)
    return own.group(1) if own else None


def main():
    launched, known = {}, set()
    reports = sorted(pathlib.Path(sys.argv[1]).glob("*.json"))
    for path in reports:
        report = json.loads(path.read_text(encoding="utf-8"))
        for kernel in report["kernels"]:
            launched[kernel["kernel"]] = launched.get(kernel["kernel"], 0) + kernel["launches"]
        known.update(report["kernels_never_launched"])
    if not launched:
        sys.exit(f"launched_kernels: {sys.argv[1]} holds no report of a launch")
    known.update(launched)
    operators = {operator(kernel) for kernel in known} - {None}
    missed = sorted(operators - {operator(kernel) for kernel in launched})
    instances = sum(1 for kernel in known if operator(kernel))
    met = sum(1 for kernel in launched if operator(kernel))
    print(f"{len(operators) - len(missed)} of {len(operators)} operators are launched, {met} of {instances} instances; "
          f"{len(reports)} reports")
    if missed:
        sys.exit("no test launches " + ", ".join(missed))


if __name__ == "__main__":
    main()
