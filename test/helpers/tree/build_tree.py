"""Builds the tree that stands as JSON on standard input (see nodes.ts and build.ts) in the folder argv[1]."""

import base64
import json
import os
import random
import socket
import sys

PIECE = 4 * 1024 * 1024


def write_content(path, content):
    with open(path, "wb") as target:
        if "base64" in content:
            target.write(base64.b64decode(content["base64"]))
        elif "seed" in content:
            source, left = random.Random(content["seed"]), content["size"]
            while left > 0:
                target.write(source.randbytes(min(left, PIECE)))
                left -= PIECE
        else:
            for offset, text in content["data"].items():
                target.seek(int(offset))
                target.write(text.encode())
            target.truncate(content["sparseSize"])


def build(path, node, links):
    kind = node["kind"]
    if kind == "directory":
        os.makedirs(path, exist_ok=True)
        for name, child in node["children"].items():
            build(os.path.join(path, os.fsencode(name)), child, links)
    elif kind == "file":
        write_content(path, node["content"])
    elif kind == "symlink":
        os.symlink(os.fsencode(node["target"]), path)
    elif kind == "hard-link":
        links.append((path, os.fsencode(node["of"])))
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        # A socket's address has 107 bytes at most, so it is bound by its bare name.
        os.chdir(os.path.dirname(path))
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.basename(path))


def set_attributes(path, node):
    """Runs after all names exist, children before their folder, since each new name changes the folder's time."""
    for name, child in node.get("children", {}).items():
        set_attributes(os.path.join(path, os.fsencode(name)), child)
    for name, value in node.get("xattrs", {}).items():
        os.setxattr(path, name, base64.b64decode(value))
    if "mode" in node:
        os.chmod(path, node["mode"])
    if "mtimeNs" in node:
        time = int(node["mtimeNs"])
        os.utime(path, ns=(time, time), follow_symlinks=False)


root = os.fsencode(os.path.abspath(sys.argv[1]))
tree = json.load(sys.stdin)
links = []
build(root, tree, links)
for path, of in links:
    os.link(os.path.join(root, of), path)
set_attributes(root, tree)
