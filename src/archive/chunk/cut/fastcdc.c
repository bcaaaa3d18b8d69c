// The inner loop of FastCDC for WebAssembly, built by scripts/build-web-assembly.sh. It finds what gearScan in
// fastcdc-javascript.ts finds, and has to: a difference would be a difference in the cuts.
//
// A position's gear hash depends on no more than the 32 bytes that end there. So a block is scanned by four lanes, each
// over a quarter of it with a hash of its own; one vector holds the four hashes. What the lanes keep is only the lowest
// hash they met: a block nearly never has one that is low enough, and is then done; else it is searched byte by byte.
#include <stdint.h>
#include <wasm_simd128.h>

#define HASH_BYTES 32
#define LANES 4
// Four lanes divide what is scanned for a strict and for a loose cut (768 KiB and 3 MiB) with no rest. As it is no power
// of two, the lanes' cache lines do not compete for the same places of the first-level cache.
#define LANE_BYTES 3072
#define STEP_BYTES 8

// fastcdc-webassembly.ts puts the 256 words at address 0 before the first scan: at any other, each vector's words cost
// three additions more, a fifth of the speed. The compiler is told that this address is one like others.
static const uint32_t *const gear = (const uint32_t *)0;

// The hash before position: of the 31 bytes that end there.
static uint32_t warmUp(const uint8_t *position) {
  uint32_t hash = 0;
#pragma clang loop unroll(disable)
  for (int distance = HASH_BYTES - 1; distance > 0; distance--) hash = (hash << 1) + gear[position[-distance]];
  return hash;
}

static const uint8_t *scanBytes(const uint8_t *position, const uint8_t *end, uint32_t below) {
  uint32_t hash = warmUp(position);
  for (; position < end; position++) {
    hash = (hash << 1) + gear[*position];
    if (hash < below) break;
  }
  return position;
}

// Whether any position of the four lanes that begin at block has a hash below the given one.
static int blockHasCut(const uint8_t *block, uint32_t below) {
  v128_t hashes = wasm_u32x4_make(warmUp(block), warmUp(block + LANE_BYTES), warmUp(block + 2 * LANE_BYTES),
                                  warmUp(block + 3 * LANE_BYTES));
  v128_t lowest = wasm_u32x4_splat(UINT32_MAX);
  for (const uint8_t *byte = block; byte < block + LANE_BYTES; byte += STEP_BYTES) {
#pragma clang loop unroll(full)
    for (int step = 0; step < STEP_BYTES; step++) {
      v128_t words = wasm_v128_load32_zero(&gear[byte[step]]);
      words = wasm_v128_load32_lane(&gear[byte[step + LANE_BYTES]], words, 1);
      words = wasm_v128_load32_lane(&gear[byte[step + 2 * LANE_BYTES]], words, 2);
      words = wasm_v128_load32_lane(&gear[byte[step + 3 * LANE_BYTES]], words, 3);
      hashes = wasm_i32x4_add(wasm_i32x4_add(hashes, hashes), words);
      lowest = wasm_u32x4_min(lowest, hashes);
    }
  }
  return wasm_v128_any_true(wasm_u32x4_lt(lowest, wasm_u32x4_splat(below)));
}

// The first position from begin on whose hash is below the given one, else end. 31 bytes before begin are read.
__attribute__((export_name("scan"))) const uint8_t *scan(const uint8_t *begin, const uint8_t *end, uint32_t below) {
  const uint8_t *block = begin;
  while (end - block >= LANES * LANE_BYTES && !blockHasCut(block, below)) block += LANES * LANE_BYTES;
  return scanBytes(block, end, below);
}
