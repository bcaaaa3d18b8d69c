#!/bin/sh
# Compiles src/repository/parity/galois-multiply.c into a TypeScript module, so that bundlers and worker threads do not have to locate a
# file. Requires clang and wasm-ld: apt-get install clang lld. The committed module was built with version 14 (Debian 12).
# Another version probably produces different bytes, which compute the same.
#
#     scripts/build-parity.sh [OUTPUT]
set -eu

folder=$(cd "$(dirname "$0")/../src/repository/parity" && pwd)
output=${1:-$folder/galois-multiply-bytes.ts}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs in the file's own folder and strips everything, so that the output contains no path of this machine.
cd "$folder"
clang --target=wasm32 -O3 -msimd128 -ffreestanding -fno-delete-null-pointer-checks -nostdlib \
  -Wall -Wextra -Werror -Wl,--no-entry -Wl,--import-memory -Wl,-z,stack-size=1024 -Wl,--strip-all \
  -o "$work/galois-multiply.wasm" galois-multiply.c

cat > "$work/module.ts" <<MODULE
/** WebAssembly of galois-multiply.c, by scripts/build-parity.sh with clang $(clang -dumpversion). Not to be edited. */
export const GALOIS_MULTIPLY_WEBASSEMBLY =
  '$(base64 -w 0 "$work/galois-multiply.wasm")';
MODULE
mv "$work/module.ts" "$output"
