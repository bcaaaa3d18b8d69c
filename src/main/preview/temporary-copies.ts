import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeviceName } from '../../base/device-names.ts';
import type { HeldPreview } from './previews.ts';

const LONGEST_NAME = 120;

/** Endings of what systems execute or install when it is opened. */
const PROGRAMS = new Set(
  (
    'app appimage application bash bat bin chm cmd com command cpl crx deb desktop dll dmg exe gadget hta inf ins jar jnlp js jse ksh lnk ' +
    'mpkg ms msc msi msix msp mst pif pkg pl pol ps1 psm1 py pyc rb reg rpm run scf scpt scr sct service sh shb shs sys terminal url vb ' +
    'vbe vbs webloc workflow ws wsc wsf wsh xbap zsh'
  ).split(' '),
);

/** Returns whether opening a file of that name might start it. */
export function isProgramName(name: string): boolean {
  const ending = /\.([^.]+)\s*\.*\s*$/.exec(name)?.[1];
  return ending !== undefined && PROGRAMS.has(ending.trim().toLowerCase());
}

/** Returns a name that every file system accepts. */
export function safeFileName(name: string): string {
  // oxlint-disable-next-line no-control-regex
  const plain = name.replaceAll(/[\x00-\x1f\x7f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '_');
  const dot = plain.lastIndexOf('.');
  const ending = dot > 0 && plain.length - dot <= 12 ? plain.slice(dot) : '';
  const short = plain.slice(0, plain.length - ending.length).slice(0, LONGEST_NAME) + ending;
  const whole = short.replace(/[ .]+$/, '').replace(/^\.+/, '_');
  return whole === '' || isDeviceName(whole) ? `_${whole}` : whole;
}

/** Copies of previewed files for other programs. They are deleted when the program starts and when it ends. */
export class TemporaryCopies {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a copy that only its owner can read. Returns its path. */
  writeSync({ name, bytes }: HeldPreview): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(mkdtempSync(join(this.#folder, 'copy-')), safeFileName(name));
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
    return path;
  }

  removeSync(): void {
    try {
      rmSync(this.#folder, { recursive: true, force: true });
    } catch {
      // Windows keeps files that another program has open. The next start deletes them.
    }
  }
}
