#!/bin/sh
# Compiles src/engine/chunk/fastcdc.c and writes it as a TypeScript module, so that bundlers and worker threads need to
# find no file. Needs clang and wasm-ld: apt-get install clang lld (Debian 12 has version 14, which made what is checked
# in; another version is likely to give other bytes that find the same cuts).
#
#     scripts/build-chunker.sh [OUTPUT]
set -eu

folder=$(cd "$(dirname "$0")/../src/engine/chunk" && pwd)
output=${1:-$folder/fastcdc-bytes.ts}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# From the file's own folder, and with everything stripped, so that no path of this machine gets into the bytes.
cd "$folder"
clang --target=wasm32 -O3 -msimd128 -ffreestanding -fno-delete-null-pointer-checks -nostdlib \
  -Wall -Wextra -Werror -Wl,--no-entry -Wl,--import-memory -Wl,-z,stack-size=1024 -Wl,--strip-all \
  -o "$work/fastcdc.wasm" fastcdc.c

cat > "$work/module.ts" <<MODULE
/** WebAssembly of fastcdc.c, by scripts/build-chunker.sh with clang $(clang -dumpversion). Not to be edited. */
export const FASTCDC_WEBASSEMBLY =
  '$(base64 -w 0 "$work/fastcdc.wasm")';
MODULE
mv "$work/module.ts" "$output"
