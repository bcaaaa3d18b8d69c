"""
Restores one file with the service interface and docs/format.md alone: no code, no library and no file of Holdfast's.

    restore_client.py ADDRESS ACCESS_TOKEN DEVICE_ID BACKUP_SET PATH PHRASE_FILE WORD_LIST OUTPUT

It asks for the manifest, fetches the blobs, derives the keys from the recovery phrase (BIP39's words as entropy), opens
the blobs and writes the file. Needs Debian's python3-cryptography.
"""

import hashlib
import json
import sys
import urllib.request
from datetime import datetime, timedelta, timezone

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

address, token, device, backup_set, path, phrase_file, word_list, output = sys.argv[1:]


def master_key():
    """24 words of 11 bits: 256 bits of entropy, then the first 8 bits of its SHA-256."""
    known = open(word_list, encoding="utf-8").read().split()
    bits = "".join(f"{known.index(word):011b}" for word in open(phrase_file, encoding="utf-8").read().split())
    assert len(bits) == 24 * 11
    entropy = int(bits[:256], 2).to_bytes(32, "big")
    assert hashlib.sha256(entropy).digest()[0] == int(bits[256:], 2), "the phrase's checksum is wrong"
    return entropy


def chunk_key(master, digest):
    sub_key = HKDF(algorithm=hashes.SHA256(), length=32, salt=b"", info=b"holdfast/v1/chunk").derive(master)
    return HKDFExpand(algorithm=hashes.SHA256(), length=32, info=digest).derive(sub_key)


def call(name, body):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"{address}/functions/v1/{name}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def open_blob(master, name, blob):
    digest = bytes.fromhex(name.removeprefix("sha256:"))
    plain = AESGCM(chunk_key(master, digest)).decrypt(blob[:12], blob[12:], None)
    assert hashlib.sha256(plain).digest() == digest
    return plain


master = master_key()
soon = (datetime.now(timezone.utc) + timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
manifest = call(
    "restore/manifest",
    {"device_id": device, "backup_set": backup_set, "point_in_time": soon, "path": path, "recursive": True},
)
[entry] = manifest["files"]
assert entry["path"] == path
wanted = list(dict.fromkeys(entry["chunks"]))
with open(output, "wb") as target:
    blobs = {}
    for start in range(0, len(wanted), 100):
        request = {"restore_session_id": manifest["restore_session_id"], "chunk_hashes": wanted[start : start + 100]}
        for download in call("restore/presign", request)["downloads"]:
            with urllib.request.urlopen(download["url"]) as answer:
                blobs[download["hash"]] = answer.read()
            assert len(blobs[download["hash"]]) == download["size"]
    for name in entry["chunks"]:
        target.write(open_blob(master, name, blobs[name]))
    assert target.tell() == entry["size"]
print(len(wanted))
