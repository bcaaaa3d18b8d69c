#!/bin/sh
# Runs the CLI with the Node of its own folder, whichever `node` is on the PATH.
set -e
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=$(dirname "$self")/$target ;; esac
done
root=$(CDPATH= cd -- "$(dirname -- "$self")/.." && pwd -P)
# Debuggers and other projects set these for their own Node. A backup must not run their code, nor fail because of it.
unset NODE_OPTIONS NODE_PATH
# A core file would contain the keys of the backups.
ulimit -S -c 0 2>/dev/null || true
# glibc would give each thread an arena of its own, which keeps the memory that the thread freed.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
# Without a limit the heap grows to several times its live size before it is collected. Worker threads inherit the limits.
exec "$root/bin/node" --max-semi-space-size=4 --max-old-space-size=768 --initial-heap-size=64 --disable-warning=ExperimentalWarning "$root/dist/program/main.cjs" "$@"
