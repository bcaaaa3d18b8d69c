import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../src/base/errors/errors.ts';

const MOST_ATTEMPTS = 100;

/** A file that changed so shortly ago may change again without another time: the clock of a file system ticks every few milliseconds. */
const JUST_NOW_MS = 200;

/** Bytes that a secret would show itself by. */
interface Needle {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Secrets that are searched for where they must not be: as they are, in hex and in base64, wherever in it they begin. */
export class Canaries {
  readonly #needles: Needle[] = [];
  /** The state in which a file was searched and had none. */
  readonly #searched = new Map<string, string>();

  add(name: string, secret: string | Uint8Array): void {
    this.#searched.clear();
    const bytes = Buffer.from(secret as string);
    const forms = [bytes, bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...inBase64(bytes)];
    if (typeof secret === 'string') forms.push(Buffer.from(secret, 'utf16le'));
    for (const form of forms) this.#needles.push({ name, bytes: Buffer.from(form as string) });
  }

  /** Returns the names of the secrets in some bytes. */
  in(content: string | Uint8Array): readonly string[] {
    const bytes = Buffer.from(content as string);
    return [...new Set(this.#needles.filter((needle) => bytes.includes(needle.bytes)).map(({ name }) => name))];
  }

  /**
   * Searches all files below a folder. What has not changed since it was searched is not read again.
   *
   * @param except what the names of files that may contain secrets match
   * @returns each finding as `file: secret`
   */
  below(folder: string, except: RegExp): readonly string[] {
    return namesBelow(folder)
      .filter((name) => !except.test(name))
      .flatMap((name) => this.#inFile(join(folder, name)).map((secret) => `${name}: ${secret}`));
  }

  #inFile(path: string): readonly string[] {
    const state = stateOf(path);
    if (state !== undefined && state === this.#searched.get(path)) return [];
    const found = this.in(contentOf(path));
    if (state !== undefined && found.length === 0) this.#searched.set(path, state);
    else this.#searched.delete(path);
    return found;
  }

  /** Searches the command lines and environments of a process and its children. */
  ofProcesses(pid: number): readonly string[] {
    return treeOf(pid).flatMap((process) =>
      ['cmdline', 'environ'].flatMap((file) =>
        this.in(contentOf(`/proc/${process}/${file}`)).map((secret) => `${file} of a process: ${secret}`),
      ),
    );
  }
}

/** The base64 of bytes in the middle of others: without the characters that also depend on these. */
function inBase64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const inner = text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 8) / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Folders may go while it lists them; then it begins again. */
function namesBelow(folder: string): readonly string[] {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return readdirSync(folder, { recursive: true }).map(String);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT' || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Returns what changes with a file; `undefined` if it is gone, or too young to tell. SQLite maps -shm, whose times then stay. */
function stateOf(path: string): string | undefined {
  const state = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (state === undefined || path.endsWith('-shm')) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = state;
  if (Math.abs(Date.now() - Number(ctimeMs)) < JUST_NOW_MS) return undefined;
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/** Empty for a folder, and for a file that is gone by now. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return Buffer.alloc(0);
  }
}

function treeOf(pid: number): readonly number[] {
  const children = contentOf(`/proc/${pid}/task/${pid}/children`).toString().split(' ').map(Number);
  return [pid, ...children.filter((child) => child > 0).flatMap(treeOf)];
}
