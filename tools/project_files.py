"""The project's own files, for the checks beside this one, and how a check reports what it found."""

import argparse
import subprocess
import sys
from pathlib import Path

CPP = (".cc", ".h")


def arguments(description):
    """The one argument every check takes; returns the folder to check."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent,
                        help="the project's folder (this one, unless given)")
    return parser.parse_args().root.resolve()


def project_files(root):
    """Paths below root that git knows or would add; where git does not know root, all but hidden and build folders."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=root, capture_output=True)
    if listed.returncode == 0:
        found = [Path(name) for name in listed.stdout.decode().split("\0") if name]
    else:
        found = [path.relative_to(root) for path in root.rglob("*")]
        found = [path for path in found if path.parts[0] != "build" and not path.parts[0].startswith(".")]
    return sorted(path for path in set(found) if (root / path).is_file() and not (root / path).is_symlink())


def cpp_files(root):
    return [path for path in project_files(root) if path.suffix in CPP]


def text_of(path):
    """The file as text, or None where it is not UTF-8."""
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return None


def finish(name, complaints):
    """Prints what was found and ends with 1, or says that all is well."""
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if complaints:
        sys.exit(f"{name}: {len(complaints)} found")
    print(f"{name}: good")
