#!/usr/bin/env python3
"""Prints how old the backups of an account are. It needs nothing but Python.

    HOLDFAST_PASSWORD=... python3 holdfast_client.py https://backup.example.com anna@example.com 123456

The calls are described by the service itself: https://backup.example.com/openapi.json
"""
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone


class Client:
    def __init__(self, url):
        self.url = url.rstrip("/")
        self.token = None

    def call(self, method, path, body=None, query=None, token=None):
        address = self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Content-Type": "application/json"}
        if token or self.token:
            headers["Authorization"] = "Bearer " + (token or self.token)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            raise SystemExit(f"{method} {path}: {error.code} {problem['code']}: {problem.get('detail', problem['title'])}")

    def sign_in(self, email, password, code):
        """Only the second factor yields an access token, which is valid for an hour."""
        body = {"email": email, "password": password}
        challenge = self.call("POST", "/auth/v1/token", body, {"grant_type": "password"})
        factor = next(one for one in challenge["factors"] if one["type"] == "totp")
        path = f"/auth/v1/factors/{urllib.parse.quote(factor['id'])}/verify"
        session = self.call("POST", path, {"code": code}, token=challenge["mfa_token"])
        self.token = session["access_token"]

    def devices(self):
        return self.call("GET", "/rest/v1/devices")["devices"]

    def backup_sets(self, device):
        return self.call("GET", "/rest/v1/backup_sets", query={"device_id": device})["backup_sets"]


def age(timestamp):
    if timestamp is None:
        return "never"
    seconds = datetime.now(timezone.utc) - datetime.fromisoformat(timestamp.replace("Z", "+00:00"))
    return f"{seconds.total_seconds() / 3600:.1f} h ago"


def main(url, email, code):
    client = Client(url)
    client.sign_in(email, os.environ["HOLDFAST_PASSWORD"], code)
    for device in client.devices():
        print(f"{device['name']} ({device['status']})")
        for backup_set in client.backup_sets(device["id"]):
            print(f"  {backup_set['name']}: {age(backup_set['last_restore_point'])}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
