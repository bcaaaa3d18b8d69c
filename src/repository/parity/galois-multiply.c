// Products of a matrix with blocks of bytes over GF(2^8), for WebAssembly, built by scripts/build-web-assembly.sh. It computes what
// inJavaScript in galois-multiply.ts computes.
//
// A product with a constant is the sum of two table look-ups, one for each half of the byte, and a shuffle looks up 16 of them at
// once (Plank, Greenan, Miller: Screaming Fast Galois Field Arithmetic Using Intel SIMD Instructions, FAST 2013).
#include <stdint.h>
#include <wasm_simd128.h>

#define LANES 16
#define TABLE_BYTES 32

static void multiplyBlock(uint8_t *out, const uint8_t *in, const uint8_t *table, uint32_t bytes) {
  const v128_t low = wasm_v128_load(table);
  const v128_t high = wasm_v128_load(table + LANES);
  const v128_t nibble = wasm_u8x16_splat(15);
  for (uint32_t at = 0; at < bytes; at += LANES) {
    const v128_t word = wasm_v128_load(in + at);
    const v128_t product = wasm_v128_xor(wasm_i8x16_swizzle(low, wasm_v128_and(word, nibble)),
                                         wasm_i8x16_swizzle(high, wasm_u8x16_shr(word, 4)));
    wasm_v128_store(out + at, wasm_v128_xor(wasm_v128_load(out + at), product));
  }
}

// Adds the product of a matrix with blocks to blocks: out[row] ^= sum of tables[row][column] * in[column]. A block has a multiple
// of 16 bytes. The blocks of one column stay in the first-level cache while all rows use them.
__attribute__((export_name("multiply"))) void multiply(uint8_t *out, uint32_t rows, const uint8_t *in, uint32_t columns,
                                                       const uint8_t *tables, uint32_t bytes) {
  for (uint32_t column = 0; column < columns; column++) {
    for (uint32_t row = 0; row < rows; row++) {
      multiplyBlock(out + row * bytes, in + column * bytes, tables + (row * columns + column) * TABLE_BYTES, bytes);
    }
  }
}
