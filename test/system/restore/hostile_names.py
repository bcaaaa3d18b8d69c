"""The rules for file names, written independently of Holdfast.

Reads {"paths": [...]} or {"names": [...]} as JSON from standard input.

For paths: prints for each the names below the target folder that a restore on Linux may write, as hexadecimal bytes, or null
if the path has to be refused.
For names: prints for each whether Windows accepts it as the name of a file, from Microsoft's "Naming Files, Paths, and
Namespaces".
"""

import base64
import json
import re
import sys
from pathlib import PureWindowsPath

ESCAPE = "\U0010fffd"


def segment_bytes(segment):
    """The bytes of one name, or None if it is not the one spelling of a name that stays in its folder."""
    if segment.startswith(ESCAPE):
        text = segment[len(ESCAPE):]
        if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
            return None
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        if base64.urlsafe_b64encode(raw).decode().rstrip("=") != text:
            return None
        try:
            # A name that is valid UTF-8 needs no escape, unless it begins with the escape itself.
            if not raw.decode("utf-8").startswith(ESCAPE):
                return None
        except UnicodeDecodeError:
            pass
    else:
        try:
            raw = segment.encode("utf-8")
        except UnicodeEncodeError:
            # Half of a surrogate pair is no character, so no file system has this name.
            return None
    if raw in (b"", b".", b"..") or b"\0" in raw or b"/" in raw or len(raw) > 255:
        return None
    return raw


def place(path):
    if not path.startswith("/data/"):
        return None
    parts = [segment_bytes(segment) for segment in path[1:].split("/")]
    if any(part is None for part in parts):
        return None
    return [part.hex() for part in parts]


def windows_accepts(name):
    if name in ("", ".", "..") or re.search(r'[\0-\x1f<>:"/\\|?*]', name) or name[-1] in ". ":
        return False
    # Some versions of that page list these two, and Python does not.
    if re.match(r"(com|lpt)0 *(\.|$)", name, re.IGNORECASE):
        return False
    return not PureWindowsPath(name).is_reserved()


request = json.load(sys.stdin)
if "paths" in request:
    json.dump([place(path) for path in request["paths"]], sys.stdout)
else:
    json.dump([windows_accepts(name) for name in request["names"]], sys.stdout)
