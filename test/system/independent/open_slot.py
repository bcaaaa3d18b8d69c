#!/usr/bin/python3
"""Opens or seals a device's slot of a key envelope without Holdfast, after docs/format.md alone.

Needs Python 3.9 and Debian's python3-cryptography. All arguments are hex.

  open_slot.py open KEY_ID AUTHOR_PUBLIC RECIPIENT_PRIVATE SEALED            prints the master key
  open_slot.py seal KEY_ID AUTHOR_PRIVATE RECIPIENT_PUBLIC MASTER            prints what is sealed
"""

import os
import sys

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def raw(key):
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def cipher(secrets, key_id, ephemeral, author, recipient):
    info = b"holdfast/v1/device-slot\n" + key_id + ephemeral + author + recipient
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=b"", info=info).derive(b"".join(secrets)))


def main():
    command, *values = sys.argv[1:]
    key_id, author, recipient, data = map(bytes.fromhex, values)
    context = b"holdfast/v1/slot/" + key_id.hex().encode()
    if command == "open":
        private = X25519PrivateKey.from_private_bytes(recipient)
        ephemeral, sealed = data[:32], data[32:]
        secrets = [private.exchange(X25519PublicKey.from_public_bytes(key)) for key in (ephemeral, author)]
        key = cipher(secrets, key_id, ephemeral, author, raw(private.public_key()))
        print(key.decrypt(sealed[:12], sealed[12:], context).hex())
    else:
        private = X25519PrivateKey.from_private_bytes(author)
        ephemeral, to = X25519PrivateKey.generate(), X25519PublicKey.from_public_bytes(recipient)
        secrets = [key.exchange(to) for key in (ephemeral, private)]
        key = cipher(secrets, key_id, raw(ephemeral.public_key()), raw(private.public_key()), recipient)
        iv = os.urandom(12)
        print((raw(ephemeral.public_key()) + iv + key.encrypt(iv, data, context)).hex())


if __name__ == "__main__":
    main()
