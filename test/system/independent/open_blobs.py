#!/usr/bin/python3
"""Opens a Holdfast backup without Holdfast, after docs/format.md alone.

Needs Python 3.9, Debian's python3-cryptography (with OpenSSL 3), and python3-zstandard or the `zstd` command.

  open_blobs.py --words english.js --phrase FILE --blobs DIR --manifest FILE [--newest FILE] [--to DIR]

--words     the BIP39 English word list, one word a line (@scure/bip39's english.js will do)
--phrase    a file with the recovery phrase
--blobs     a folder of sealed blobs, each named by the 64 hex digits of its chunk's SHA-256
--manifest  JSON {"files": [{"path", "size", "modified", "chunks": ["sha256:…" or {"hash", …}, …]}, …]}
--newest    the manifest of the newest restore point, whose key envelope has the keys of all epochs
--to        where the files are rebuilt; without it they are only opened and checked

Prints the records of the tree as they stand in it, a line each, and then {"footer": …, "tree_hash": …}.
Ends with status 1 and one line on stderr where anything does not fit.
"""

import argparse
import base64
import datetime
import hashlib
import hmac
import json
import pathlib
import re
import struct
import subprocess
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

TREE = "/.holdfast/tree"
KEYS = "/.holdfast/keys"
ESCAPE = "\U0010fffd"
CHUNK_BYTES = 4 * 2**20


class Refused(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Refused(message)


def master_key(phrase, words_text):
    """BIP39: 24 words of 11 bits are 256 bits of entropy and 8 bits of its SHA-256."""
    words = re.findall(r"\b[a-z]{3,8}\b", words_text[words_text.index("abandon") :])[:2048]
    require(len(words) == 2048 and words[-1] == "zoo", "the word list is not BIP39's English one")
    indexes = [words.index(word) for word in phrase.split()]
    require(len(indexes) == 24, "a recovery phrase has 24 words")
    bits = 0
    for index in indexes:
        bits = bits << 11 | index
    entropy = (bits >> 8).to_bytes(32, "big")
    require(hashlib.sha256(entropy).digest()[0] == bits & 0xFF, "the phrase's checksum does not fit")
    return entropy


def sub_key(master, purpose, length=32):
    info = b"holdfast/v1/" + purpose
    return HKDF(algorithm=SHA256(), length=length, salt=b"", info=info).derive(master)


def key_id(master):
    return sub_key(master, b"key-id", 16).hex()


def open_ring(text, master):
    """Returns the master keys by epoch that an envelope opens with its own. Two computers may have begun the same epoch."""
    match = re.fullmatch(rb'\{"envelope":(\{.*\}),"mac":"([0-9a-f]{64})"(?:,"proof":"[0-9a-f]{64}")?\} *', text, re.DOTALL)
    require(match, "the key envelope is none")
    body, mac = match.groups()
    envelope = json.loads(body)
    require(envelope["version"] == 1, "another version")
    require(envelope["key_id"] == key_id(master), "the phrase of another account, or of another epoch")
    expected = hmac.new(sub_key(master, b"envelope"), b"holdfast/v1/envelope\n" + body, hashlib.sha256).hexdigest()
    require(hmac.compare_digest(mac.decode(), expected), "the envelope's MAC does not fit")
    ring = {envelope["epoch"]: [master]}
    for earlier in envelope["earlier"]:
        context = f"holdfast/v1/earlier/{earlier['epoch']}/{earlier['key_id']}/{envelope['key_id']}"
        sealed = base64.b64decode(earlier["sealed"], validate=True)
        key = AESGCM(sub_key(master, b"earlier")).decrypt(sealed[:12], sealed[12:], context.encode())
        require(key_id(key) == earlier["key_id"], "an earlier key of another id")
        ring.setdefault(earlier["epoch"], []).append(key)
    return ring


class Store:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.ring = {}

    def chunk(self, name, key=None):
        """Returns the plaintext of a chunk by its hash. Layout: IV (12: packing, epoch, 9 random), ciphertext, tag (16)."""
        digest = bytes.fromhex(name.removeprefix("sha256:"))
        blob = (self.folder / digest.hex()).read_bytes()
        keys = [key] if key else self.chunk_keys(int.from_bytes(blob[1:3], "big"), digest)
        plaintext = None
        for candidate in keys:
            try:
                plaintext = AESGCM(candidate).decrypt(blob[:12], blob[12:], None)
            except InvalidTag:
                continue
        require(plaintext is not None, f"{name}: the tag does not fit")
        require(blob[0] in (0, 1), f"{name}: packed in an unknown way")
        if blob[0] == 1:
            plaintext = decompress(plaintext)
            require(len(plaintext) <= CHUNK_BYTES, f"{name}: too large")
        require(hashlib.sha256(plaintext).digest() == digest, f"{name}: another plaintext")
        return plaintext

    def chunk_keys(self, epoch, digest):
        sub_keys = [sub_key(master, b"chunk") for master in self.ring.get(epoch, [])]
        return [HKDFExpand(algorithm=SHA256(), length=32, info=digest).derive(key) for key in sub_keys]


def decompress(data):
    try:
        import zstandard
    except ImportError:
        return subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


def chunk_list(text):
    """Returns digests and sizes. Layout: digest (32) and uint32 size for each chunk, in base64."""
    data = base64.b64decode(text, validate=True)
    require(len(data) % 36 == 0, "a chunk list of another length")
    return [(data[at : at + 32], struct.unpack(">I", data[at + 32 : at + 36])[0]) for at in range(0, len(data), 36)]


def read_footer(plaintext, ring):
    """Returns the footer as an object, the tree's name, and the master key that proves it."""
    match = re.fullmatch(rb'(\{"footer":(.*),"mac":"([0-9a-f]{64})"\})\n', decompress(plaintext), re.DOTALL)
    require(match, "the last chunk is no footer")
    line, body, mac = match.groups()
    footer = json.loads(body)
    require(footer["version"] == 1, "another version")
    for master in ring.get(footer["epoch"], []):
        expected = hmac.new(sub_key(master, b"tree"), b"holdfast/v1/tree-footer\n" + body, hashlib.sha256).hexdigest()
        if hmac.compare_digest(mac.decode(), expected):
            return footer, hashlib.sha256(line).hexdigest(), master
    raise Refused("the footer's MAC does not fit")


def path_order(path):
    return [segment.encode("utf-8", "surrogatepass") for segment in path.split("/")]


def read_records(store, footer):
    """Returns the lines of all records as bytes. A chunk that opens is the one that the footer lists."""
    lines = []
    for text, count, first in footer["pieces"]:
        chunks = [store.chunk(digest.hex()) for digest, _ in chunk_list(text)]
        *piece, rest = b"".join(decompress(chunk) for chunk in chunks).split(b"\n")
        require(rest == b"" and len(piece) == count, "a piece with another number of records")
        require(json.loads(piece[0])["p"] == first, "a piece that begins elsewhere")
        lines += piece
    paths = [path_order(json.loads(line)["p"]) for line in lines]
    require(all(a < b for a, b in zip(paths, paths[1:])), "records out of order")
    return lines


def milliseconds(timestamp):
    moment = datetime.datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (moment - epoch) // datetime.timedelta(milliseconds=1)


def content_of(store, record):
    """Returns the bytes of a file, by its record alone."""
    chunks = chunk_list(record.get("c", ""))
    require(sum(size for _, size in chunks) == record["s"], f"{record['p']}: chunks of another size")
    parts = [store.chunk(digest.hex()) for digest, _ in chunks]
    require([len(part) for part in parts] == [size for _, size in chunks], f"{record['p']}: another size")
    return b"".join(parts)


def compare(record, entry):
    """Requires that a manifest's entry agrees with the tree."""
    names = ["sha256:" + digest.hex() for digest, _ in chunk_list(record.get("c", ""))]
    same = entry["size"] == record["s"] and milliseconds(entry["modified"]) == int(record["mt"]) // 1_000_000
    require(same and chunk_names(entry) == names, f"{record['p']}: the manifest differs from the tree")


def chunk_names(file):
    return [chunk if isinstance(chunk, str) else chunk["hash"] for chunk in file["chunks"]]


def open_path(sealed, path_sub_key):
    """Each segment is base64url(AES-SIV(name)), with the sealed path of its parent as associated data."""
    first, *segments = sealed.split("/")
    parent, names = first, [first]
    for segment in segments:
        data = base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))
        names.append(AESSIV(path_sub_key).decrypt(data, [(parent or "/").encode()]).decode())
        parent += "/" + segment
    return "/".join(names)


def on_disk(target, path):
    """Returns the path of a file below the target. A name that is not UTF-8 becomes U+10FFFD and base64url of its bytes."""
    result = bytes(pathlib.Path(target))
    for segment in path.split("/"):
        if segment.startswith(ESCAPE):
            data = segment[len(ESCAPE) :]
            name = base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))
        else:
            name = segment.encode()
        require(name not in (b".", b".."), "a path that leads elsewhere")
        if name:
            result += b"/" + name
    return pathlib.Path(result.decode(errors="surrogateescape"))


def manifest_entries(file):
    return {entry["path"]: entry for entry in json.loads(pathlib.Path(file).read_text(encoding="utf-8"))["files"]}


def main():
    parser = argparse.ArgumentParser()
    for option in ("--words", "--phrase", "--blobs", "--manifest"):
        parser.add_argument(option, required=True)
    parser.add_argument("--newest")
    parser.add_argument("--to")
    options = parser.parse_args()

    words = pathlib.Path(options.words).read_text(encoding="utf-8")
    master = master_key(pathlib.Path(options.phrase).read_text(encoding="utf-8"), words)
    store = Store(options.blobs)
    entries = manifest_entries(options.manifest)
    newest = manifest_entries(options.newest or options.manifest)

    entries.pop(KEYS, None)
    key = hashlib.sha256(b"holdfast/v1/envelope").digest()
    # Without an envelope the account never rotated.
    envelope = b"".join(store.chunk(name, key) for name in chunk_names(newest[KEYS])) if KEYS in newest else None
    store.ring = open_ring(envelope, master) if envelope else {1: [master]}

    last = chunk_names(entries.pop(TREE))[-1]
    footer, tree_hash, tree_master = read_footer(store.chunk(last), store.ring)
    lines = read_records(store, footer)
    records = [json.loads(line) for line in lines]

    for record in records:
        if record["t"] != "f":
            continue
        content = content_of(store, record)
        if options.to:
            target = on_disk(options.to, record["p"])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

    path_sub_key = sub_key(tree_master, b"path", 64)
    clear = {open_path(path, path_sub_key) if footer["private_names"] else path: file for path, file in entries.items()}
    for record in records:
        if record["t"] == "f" and record["p"] in clear:
            compare(record, clear.pop(record["p"]))
    require(not clear, f"{next(iter(clear), None)}: the manifest has a file that the tree does not have")

    for line in lines:
        sys.stdout.buffer.write(line + b"\n")
    print(json.dumps({"footer": footer, "tree_hash": tree_hash}))


if __name__ == "__main__":
    try:
        main()
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(1)
