import { directory, fifo, file, hardLink, socket, symlink, type Tree, type TreeNode } from './nodes.ts';

const SECOND = 1_000_000_000n;
const NOON_2021 = 1_609_502_400n * SECOND;

/** The maximum length of a path on Linux in bytes, without the terminating zero byte (PATH_MAX). */
const LONGEST_PATH = 4_000;
const LONGEST_NAME = 255;

/**
 * Everything unusual that a Linux file system allows. FIFOs and sockets are in `special`: a backup reports and skips
 * them.
 *
 * @param root the absolute path of the folder that the tree will be built in; one path in it has 4,000 bytes.
 */
export function oddTree(root: string): Tree {
  return {
    names: directory(names),
    modes: directory(modes),
    times: directory(times, { mtimeNs: NOON_2021 + 7n }),
    links: directory(links),
    contents: directory(contents),
    attributes: directory(attributes),
    special: directory({ 'a fifo': fifo, 'a socket': socket, 'a file': file('between them') }),
    deep: directory(nested(LONGEST_PATH - Buffer.byteLength(`${root}/deep/`))),
  };
}

/** Names whose order by UTF-16 differs from their order by bytes, names with a special meaning for a shell, to a … */
const names: Tree = {
  ...Object.fromEntries(
    [
      'plain',
      ' leading space',
      'trailing space ',
      '   ',
      'line\nbreak',
      '\n',
      'carriage\rreturn',
      'tab\there',
      'back\\slash',
      '\\',
      'C:',
      'quote"s and \'s',
      '*?[a-z]!#;&|<>$(x)`y`',
      '%2F %00',
      '-rf',
      '--',
      '~',
      '...',
      '.hidden',
      'trailing dot.',
      'CON',
      'nul.txt',
      '\u0001\u0002\u001b[31m\u007f',
      // The same letters composed and decomposed: two files on Linux, one on macOS.
      'caf\u00e9',
      'cafe\u0301',
      '\u212b',
      '\u00c5',
      'A\u030a',
      'UPPER and lower',
      'upper and LOWER',
      '\u05d0\u200f\u202eright to left',
      '\ufeffbyte order mark',
      '\ufffd replacement character',
      '\ue000 private use, before the astral ones by UTF-8, behind them by UTF-16',
      '\u{1f9f7} safety pin',
      '\u{10fffd} begins as an escaped name does',
      '\u{10fffd}_w',
      // Invalid UTF-8: Latin-1, a lone continuation byte, half a character, an encoded surrogate.
      'Latin-1 \udce9t\udce9',
      '\udcff',
      '\udcff\udcfe',
      '\udc80 continuation',
      'half \udcf0\udc9f',
      'surrogate \udced\udca0\udc80',
      'n'.repeat(LONGEST_NAME),
      '\u00e9'.repeat((LONGEST_NAME - 1) / 2),
      '\udcff'.repeat(LONGEST_NAME),
    ].map((name, index) => [name, file(`content of name ${index}`)]),
  ),
  'no UTF-8 \udc80 folder': directory({ 'n\udcffested': file('in it'), '\udcfe': symlink('n\udcffested') }),
  ' ': directory({ ' ': directory({ ' ': file('spaces all the way') }) }),
  // `/` sorts below every byte of a name: `a/b` comes before `a!` and `a.b`.
  a: directory({ b: file('a/b'), '!': file('a/!') }),
  'a!': file('a!'),
  'a.b': file('a.b'),
  'a\u0001': file('a and U+0001'),
};

const modes: Tree = {
  ...Object.fromEntries(
    [0o000, 0o400, 0o444, 0o600, 0o644, 0o755, 0o777, 0o1644, 0o2755, 0o4755, 0o6711, 0o7777].map((mode) => [
      mode.toString(8).padStart(4, '0'),
      file(`mode ${mode}`, { mode }),
    ]),
  ),
  'read-only folder': directory(
    { 'file in it': file('still restored'), below: directory({}, { mode: 0o555 }) },
    { mode: 0o555 },
  ),
  'sticky folder': directory({ file: file() }, { mode: 0o1777 }),
  'setgid folder': directory({ file: file() }, { mode: 0o2770 }),
  'private folder': directory({ file: file('mine') }, { mode: 0o700 }),
};

const times: Tree = {
  ...Object.fromEntries(
    [
      1n,
      0n,
      -1n,
      -1_500_000_000n,
      NOON_2021,
      NOON_2021 + 123_456_789n,
      NOON_2021 + 999_999_999n,
      4_102_444_800n * SECOND + 1n,
    ].map((mtimeNs) => [`at ${mtimeNs}`, file(String(mtimeNs), { mtimeNs })]),
  ),
  'old folder': directory({ inner: directory({}, { mtimeNs: 987_654_321n }) }, { mtimeNs: SECOND + 1n }),
  'old link': symlink('at 0', 1_000_000_000_000_000_001n),
};

const links: Tree = {
  target: file('pointed at'),
  relative: symlink('target'),
  'to a folder': symlink('../names'),
  absolute: symlink('/etc/passwd'),
  dangling: symlink('nowhere/at all'),
  itself: symlink('itself'),
  'loop a': symlink('loop b'),
  'loop b': symlink('loop a'),
  'loop through a folder': symlink('../links'),
  'target with \udcff': symlink('no UTF-8 \udcff\udc80'),
  'target with newline': symlink('a\nb'),
  'target with slash': symlink('target/../target/'),
  'long target': symlink(`${'x'.repeat(200)}/`.repeat(20).slice(0, 4_000)),
  'first name': file('one file, four names', { mode: 0o640, mtimeNs: NOON_2021 + 5n }),
  'second name': hardLink('links/first name'),
  apart: directory({ 'third name': hardLink('links/first name'), 'fourth \udcff name': hardLink('links/first name') }),
  'empty first': file(),
  'empty second': hardLink('links/empty first'),
};

const MEBIBYTE = 1024 * 1024;

const contents: Tree = {
  'empty file': file(),
  'empty folder': directory(),
  'empty folders': directory({ in: directory({ one: directory(), another: directory() }) }),
  'one byte': file('x'),
  'a zero byte': file(new Uint8Array(1)),
  'four mebibytes of zeros': file(new Uint8Array(4 * MEBIBYTE)),
  'small one': file({ seed: 1, size: 10_000 }),
  'the same small one': file({ seed: 1, size: 10_000 }),
  // Around the chunker's bounds of 256 KiB, 1 MiB and 4 MiB.
  ...Object.fromEntries(
    [MEBIBYTE / 4 - 1, MEBIBYTE / 4, MEBIBYTE / 4 + 1, MEBIBYTE, 4 * MEBIBYTE, 4 * MEBIBYTE + 1].map((size) => [
      `of ${size} bytes`,
      file({ seed: size, size }),
    ]),
  ),
  'nine mebibytes': file({ seed: 9, size: 9 * MEBIBYTE }),
  'nine mebibytes again': file({ seed: 9, size: 9 * MEBIBYTE }),
  'only a hole': file({ sparseSize: 16 * MEBIBYTE, data: {} }),
  'holes around data': file({
    sparseSize: 24 * MEBIBYTE + 123,
    data: { [8 * MEBIBYTE]: 'an island', [20 * MEBIBYTE + 5]: 'another' },
  }),
  'data, then a hole': file({ sparseSize: 5 * MEBIBYTE, data: { 0: 'at the front' } }),
  'a hole, then data': file({ sparseSize: 6 * MEBIBYTE, data: { [6 * MEBIBYTE - 3]: 'end' } }),
};

const attributes: Tree = {
  'a few': file('with attributes', {
    xattrs: {
      'user.text': 'value',
      'user.empty': '',
      'user.\u00fcnicode': '\u{1f9f7}',
      'user.binary': new Uint8Array([0, 255, 10, 0]),
    },
  }),
  large: file('with a large attribute', { xattrs: { 'user.large': 'v'.repeat(3_000) } }),
  'read-only with attributes': file('x', { mode: 0o444, mtimeNs: NOON_2021 + 11n, xattrs: { 'user.a': 'b' } }),
  'a folder': directory({ inside: file() }, { mtimeNs: NOON_2021 + 13n, xattrs: { 'user.folder': 'yes' } }),
};

/** Folders in folders, and a file at the end whose path below here has exactly `length` bytes. */
function nested(length: number): Tree {
  if (length <= LONGEST_NAME) return { ['z'.repeat(length)]: file('far down') };
  // The rest after the slash is a name of at least one byte.
  const name = 'd'.repeat(Math.min(LONGEST_NAME, length - 2));
  const inner: Readonly<Record<string, TreeNode>> = nested(length - name.length - 1);
  return { [name]: directory(inner) };
}
