import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TRAY_DRAWINGS } from '../../../scripts/icons/tray-drawings.ts';

const assets = join(dirname(dirname(dirname(import.meta.dirname))), 'assets');
/** Each state that the tray can show (main/tray/tray-model.ts). */
const STATES = ['idle', 'protected', 'running', 'waiting', 'paused', 'attention', 'risk'];
const BARS = ['light', 'dark'];

/** Width and height of a PNG, from its header. */
function sizeOf(bytes: Buffer): readonly [number, number] {
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

function png(name: string): readonly [number, number] {
  return sizeOf(readFileSync(join(assets, name)));
}

describe('checked-in icons', () => {
  test('exist for the app in the sizes that themes of Linux have', () => {
    const sizes = [16, 24, 32, 48, 64, 128, 256, 512];
    expect(readdirSync(join(assets, 'icons')).sort()).toEqual(sizes.map((size) => `${size}x${size}.png`).sort());
    for (const size of sizes) expect(png(`icons/${size}x${size}.png`)).toEqual([size, size]);
  });

  test.each(STATES)('exist for the tray: %s', (state) => {
    for (const bar of BARS) {
      for (const size of [16, 22, 24, 32]) {
        expect(png(`tray/${state}-${bar}-${size}.png`)).toEqual([size, size]);
        expect(png(`tray/${state}-${bar}-${size}@2x.png`)).toEqual([2 * size, 2 * size]);
      }
      expect(existsSync(join(assets, `tray/${state}-${bar}.svg`))).toBe(true);
    }
    expect(png(`tray/${state}-Template.png`)).toEqual([16, 16]);
    expect(png(`tray/${state}-Template@2x.png`)).toEqual([32, 32]);
  });

  test('match the drawings', () => {
    expect(Object.keys(TRAY_DRAWINGS).sort()).toEqual([...STATES].sort());
  });

  test.each(['icon.ico', ...STATES.map((state) => `tray/${state}-dark.ico`)])('are complete in %s', (name) => {
    const file = readFileSync(join(assets, name));
    const count = file.readUInt16LE(4);
    expect(count).toBeGreaterThanOrEqual(6);
    for (let entry = 6; entry < 6 + 16 * count; entry += 16) {
      const [length, offset] = [file.readUInt32LE(entry + 8), file.readUInt32LE(entry + 12)];
      const [width] = sizeOf(file.subarray(offset, offset + length));
      expect(width % 256).toBe(file.readUInt8(entry));
    }
  });

  test('are complete in icon.icns', () => {
    const file = readFileSync(join(assets, 'icon.icns'));
    expect([file.toString('latin1', 0, 4), file.readUInt32BE(4)]).toEqual(['icns', file.length]);
    const types: string[] = [];
    for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4)) {
      types.push(file.toString('latin1', at, at + 4));
      sizeOf(file.subarray(at + 8, at + file.readUInt32BE(at + 4)));
    }
    expect(types).toEqual(expect.arrayContaining(['ic07', 'ic08', 'ic09', 'ic10', 'ic11', 'ic12', 'ic13', 'ic14']));
  });
});
