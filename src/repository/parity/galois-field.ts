/** x^8 + x^4 + x^3 + x^2 + 1, of which x is a primitive root: the polynomial of most Reed-Solomon codes. */
const POLYNOMIAL = 0x11d;
const ORDER = 255;

const exponentials = new Uint8Array(2 * ORDER);
const logarithms = new Uint8Array(256);

for (let power = 0, value = 1; power < ORDER; power += 1) {
  exponentials[power] = value;
  exponentials[power + ORDER] = value;
  logarithms[value] = power;
  value <<= 1;
  if (value > 255) value ^= POLYNOMIAL;
}

/** The product in GF(2^8). The sum is `^`. */
export function multiply(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : exponentials[logarithms[a]! + logarithms[b]!]!;
}

/** The inverse of a number other than 0. */
export function inverse(a: number): number {
  return exponentials[ORDER - logarithms[a]!]!;
}

/**
 * Inverts a square matrix, whose rows follow each other.
 *
 * @param size rows, and columns
 * @throws if it has no inverse, which a part of a Cauchy matrix always has
 */
export function invert(matrix: Uint8Array, size: number): Uint8Array {
  const left = Uint8Array.from(matrix);
  const right = new Uint8Array(size * size);
  for (let at = 0; at < size; at += 1) right[at * size + at] = 1;
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    while (pivot < size && left[pivot * size + column] === 0) pivot += 1;
    if (pivot === size) throw new Error('a matrix without an inverse');
    swapRows(left, size, pivot, column);
    swapRows(right, size, pivot, column);
    const factor = inverse(left[column * size + column]!);
    scaleRow(left, size, column, factor);
    scaleRow(right, size, column, factor);
    for (let row = 0; row < size; row += 1) {
      const times = left[row * size + column]!;
      if (row === column || times === 0) continue;
      addRow(left, size, { from: column, to: row, times });
      addRow(right, size, { from: column, to: row, times });
    }
  }
  return right;
}

function swapRows(matrix: Uint8Array, size: number, a: number, b: number): void {
  if (a === b) return;
  const row = matrix.slice(a * size, (a + 1) * size);
  matrix.copyWithin(a * size, b * size, (b + 1) * size);
  matrix.set(row, b * size);
}

function scaleRow(matrix: Uint8Array, size: number, row: number, factor: number): void {
  for (let at = row * size; at < (row + 1) * size; at += 1) matrix[at] = multiply(matrix[at]!, factor);
}

function addRow(
  matrix: Uint8Array,
  size: number,
  { from, to, times }: { readonly from: number; readonly to: number; readonly times: number },
): void {
  for (let at = 0; at < size; at += 1) matrix[to * size + at]! ^= multiply(matrix[from * size + at]!, times);
}
