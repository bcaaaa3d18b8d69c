#!/bin/sh
# Compiles src/engine/chunk/fastcdc.c into a TypeScript module, so that bundlers and worker threads do not have to locate a
# file. Requires clang and wasm-ld: apt-get install clang lld. The committed module was built with version 14 (Debian 12).
# Another version probably produces different bytes, which find the same cuts.
#
#     scripts/build-chunker.sh [OUTPUT]
set -eu

folder=$(cd "$(dirname "$0")/../src/engine/chunk" && pwd)
output=${1:-$folder/fastcdc-bytes.ts}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs in the file's own folder and strips everything, so that the output contains no path of this machine.
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
