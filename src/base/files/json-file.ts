import { readFileSync, renameSync, rmSync } from 'node:fs';
import type { z } from 'zod';
import { writeFileAtomically, writeFileAtomicallySync } from './atomic-file.ts';
import { HoldfastError, systemCodeOf } from '../errors/errors.ts';

/** The reason why a file that exists has no usable content. */
export type JsonFileDamage =
  /** The system refused to read it. */
  | { readonly kind: 'inaccessible'; readonly error: unknown }
  /** It is not JSON, or not of the schema; `value` is the parsed JSON, if it is any. */
  | { readonly kind: 'corrupt'; readonly error: unknown; readonly value: unknown };

/** A JSON file with a schema, replaced atomically and readable by its owner only. */
export class JsonFile<Schema extends z.ZodType> {
  readonly path: string;
  readonly #schema: Schema;

  constructor(path: string, schema: Schema) {
    this.path = path;
    this.#schema = schema;
  }

  /**
   * Returns the content, or `undefined` when the file does not exist.
   *
   * @param onDamage decides what a damaged file counts as, so that none is ever mistaken for an empty one; throws by
   *   default
   * @throws HoldfastError `home_damaged` or `home_unwritable` by default
   */
  readSync<Fallback = never>(
    onDamage: (damage: JsonFileDamage) => Fallback = (damage) => this.#fail(damage),
  ): z.output<Schema> | Fallback | undefined {
    let text: string | undefined;
    try {
      text = readTextIfPresentSync(this.path);
    } catch (error) {
      return onDamage({ kind: 'inaccessible', error });
    }
    if (text === undefined) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return onDamage({ kind: 'corrupt', error, value: undefined });
    }
    const parsed = this.#schema.safeParse(value);
    return parsed.success ? parsed.data : onDamage({ kind: 'corrupt', error: parsed.error, value });
  }

  /** @throws HoldfastError `home_unwritable` */
  writeSync(content: z.input<Schema>): void {
    this.#writing(() => writeFileAtomicallySync(this.path, jsonText(content)));
  }

  /** Like `writeSync`, without blocking the thread while the disk writes. */
  async write(content: z.input<Schema>): Promise<void> {
    await writeFileAtomically(this.path, jsonText(content)).catch((error: unknown) => {
      throw unwritable(this.path, error);
    });
  }

  /** Does nothing when the file does not exist. @throws HoldfastError `home_unwritable` */
  removeSync(): void {
    this.#writing(() => rmSync(this.path, { force: true }));
  }

  /**
   * Renames a damaged file to `.bad`, so that a person can look at it and the next write starts anew. Ignores failures:
   * the next write replaces a file that could not be moved.
   */
  setAsideSync(): undefined {
    try {
      renameSync(this.path, `${this.path}.bad`);
    } catch {
      // A read-only folder keeps it where it is.
    }
  }

  #writing(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  #fail(damage: JsonFileDamage): never {
    if (damage.kind === 'inaccessible') throw unwritable(this.path, damage.error);
    throw new HoldfastError('home_damaged', { file: this.path, problem: 'unreadable' }, { cause: damage.error });
  }
}

/** Returns `undefined` when the file does not exist. @throws the system error */
export function readTextIfPresentSync(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The text of a JSON file: indented, since people read some of them. */
export function jsonText(content: unknown): string {
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function unwritable(file: string, error: unknown): HoldfastError {
  return new HoldfastError('home_unwritable', { file, problem: systemCodeOf(error) }, { cause: error });
}
