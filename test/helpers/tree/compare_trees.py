"""
Prints every difference between two trees, one a line, and exits with 1 if there is one.

    compare_trees.py [--no-owner] [--no-special] [--no-times] EXPECTED ACTUAL

It compares names as bytes, types, permission bits, owners, times of modification in nanoseconds (of files, folders and
links), sizes, contents, link targets, extended attributes, which names share one inode, and whether a file with holes has
holes. --no-special: FIFOs, sockets and devices of EXPECTED have to be absent from ACTUAL. Standard library only.
"""

import argparse
import hashlib
import os
import stat
import sys

TYPES = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFBLK: "block device",
    stat.S_IFCHR: "character device",
}
PLAIN = ("file", "directory", "symlink")


def type_of(status):
    return TYPES[stat.S_IFMT(status.st_mode)]


def walk(root, no_special):
    """Maps relative paths in bytes to their status; the root is b'.'."""
    found = {b".": os.lstat(root)}
    folders = [b""]
    while folders:
        folder = folders.pop()
        for name in os.listdir(os.path.join(root, folder)):
            path = os.path.join(folder, name)
            status = os.lstat(os.path.join(root, path))
            if no_special and type_of(status) not in PLAIN:
                continue
            found[path] = status
            if stat.S_ISDIR(status.st_mode):
                folders.append(path)
    return found


def digest(path):
    with open(path, "rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def xattrs(path):
    return {name: os.getxattr(path, name, follow_symlinks=False) for name in os.listxattr(path, follow_symlinks=False)}


def has_holes(status):
    """True if less than the size in whole blocks is allocated."""
    return status.st_blocks * 512 < status.st_size - status.st_size % 4096


def facts(root, path, status, options):
    """Returns the values that have to be equal, by name."""
    full, kind = os.path.join(root, path), type_of(status)
    yield "type", kind
    if kind != "symlink":
        yield "mode", f"{stat.S_IMODE(status.st_mode):04o}"
    if not options.no_times:
        yield "mtime", f"{status.st_mtime_ns} ns"
    if not options.no_owner:
        yield "owner", f"{status.st_uid}:{status.st_gid}"
    if kind in PLAIN:
        yield "xattrs", xattrs(full)
    if kind == "file":
        yield "size", status.st_size
        yield "sha256", digest(full)
        yield "holes", has_holes(status)
    if kind == "symlink":
        yield "target", os.readlink(full)


def link_groups(found):
    """Maps each path of a file with several names in this tree to all of these names."""
    groups = {}
    for path, status in found.items():
        if stat.S_ISREG(status.st_mode):
            groups.setdefault((status.st_dev, status.st_ino), []).append(path)
    return {path: sorted(names) for names in groups.values() if len(names) > 1 for path in names}


def differences(expected_root, actual_root, options):
    expected = walk(expected_root, options.no_special)
    actual = walk(actual_root, False)
    expected_links, actual_links = link_groups(expected), link_groups(actual)
    for path in sorted(expected.keys() | actual.keys()):
        if path not in actual:
            yield path, f"is missing ({type_of(expected[path])})"
        elif path not in expected:
            yield path, f"should not be there ({type_of(actual[path])})"
        else:
            actual_facts = dict(facts(actual_root, path, actual[path], options))
            for name, value in facts(expected_root, path, expected[path], options):
                if actual_facts.get(name) != value:
                    yield path, f"{name}: {actual_facts.get(name)!r}, expected {value!r}"
            if expected_links.get(path) != actual_links.get(path):
                yield path, f"shares its inode with {actual_links.get(path)}, expected {expected_links.get(path)}"


parser = argparse.ArgumentParser()
parser.add_argument("--no-owner", action="store_true")
parser.add_argument("--no-special", action="store_true")
parser.add_argument("--no-times", action="store_true")
parser.add_argument("expected")
parser.add_argument("actual")
options = parser.parse_args()
different = False
for path, difference in differences(os.fsencode(options.expected), os.fsencode(options.actual), options):
    different = True
    print(f"{path!r} {difference}")
sys.exit(1 if different else 0)
