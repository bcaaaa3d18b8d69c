#!/bin/sh
# Runs a command in a session with an unlocked keychain:
#   dbus-run-session -- unlocked.sh FOLDER COMMAND...
# FOLDER contains the keychain, which is started by the bus's own call: any other call would start a locked one.
set -u
folder=$1
shift
export XDG_RUNTIME_DIR="$folder/run" XDG_DATA_HOME="$folder/data"
mkdir -p "$XDG_RUNTIME_DIR" "$XDG_DATA_HOME"
chmod 700 "$XDG_RUNTIME_DIR"
printf 'test' | gnome-keyring-daemon --unlock --components=secrets --foreground >/dev/null 2>&1 &
keyring=$!
trap 'kill "$keyring" 2>/dev/null' EXIT
has_owner() {
  dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
    string:org.freedesktop.secrets 2>/dev/null | grep -q 'boolean true'
}
tries=0
until has_owner; do
  tries=$((tries + 1))
  [ "$tries" -le 200 ] || exit 90
  sleep 0.05
done
"$@"
