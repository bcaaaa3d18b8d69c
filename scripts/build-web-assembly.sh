#!/bin/sh
# Compiles a C file into a TypeScript module beside it, so that bundlers and worker threads do not have to locate a file.
# Requires clang and wasm-ld: apt-get install clang lld. The committed modules were built with version 14 (Debian 12). Another
# version probably produces different bytes, which compute the same.
#
#     scripts/build-web-assembly.sh src/archive/chunk/cut/fastcdc.c [OUTPUT]
set -eu

folder=$(cd "$(dirname "$1")" && pwd)
name=$(basename "$1" .c)
constant=$(echo "$name" | tr 'a-z-' 'A-Z_')_WEBASSEMBLY
output=${2:-$folder/$name-bytes.ts}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs in the file's own folder and strips everything, so that the output contains no path of this machine.
cd "$folder"
clang --target=wasm32 -O3 -msimd128 -ffreestanding -fno-delete-null-pointer-checks -nostdlib \
  -Wall -Wextra -Werror -Wl,--no-entry -Wl,--import-memory -Wl,-z,stack-size=1024 -Wl,--strip-all \
  -o "$work/$name.wasm" "$name.c"

cat > "$work/module.ts" <<MODULE
/** WebAssembly of $name.c, by scripts/build-web-assembly.sh with clang $(clang -dumpversion). Not to be edited. */
export const $constant =
  '$(base64 -w 0 "$work/$name.wasm")';
MODULE
mv "$work/module.ts" "$output"
