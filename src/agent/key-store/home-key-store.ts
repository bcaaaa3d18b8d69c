import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import { JsonFile } from '../../base/json-file.ts';
import type { Home } from '../home/home.ts';
import { ProcessLock } from '../home/process-lock.ts';
import { loadSettings } from '../home/settings.ts';
import type { KeyStore, DestinationSecrets, Secrets } from './key-store.ts';
import type { Keychain } from './keychain.ts';
import { openSecrets, sealedForm, sealSecrets, WRAPPING_KEY_BYTES, type SealedSecrets } from './sealed-secrets.ts';
import { secretsForm, writtenSecrets, type KeptSecrets } from './secrets-form.ts';

/** Writing the file takes milliseconds. */
const PATIENCE_MS = 10_000;

/** The content of the file: plain secrets, or sealed ones. */
const fileForm = z.union([
  sealedForm.transform((form) => ({ kind: 'sealed' as const, form })),
  secretsForm.transform((secrets) => ({ kind: 'plain' as const, secrets })),
]);
type Found = z.output<typeof fileForm>;

/** A key of the keychain, by the account that it has there. */
interface Wrapping {
  readonly account: string;
  readonly key: Uint8Array;
}

/**
 * Secrets in a file of the home that its owner alone may read: as they are, or sealed with a key that lies in the
 * system's keychain. The file says which, so that every program of the home finds them.
 */
export class HomeKeyStore implements KeyStore {
  readonly place: string;
  readonly #home: Home;
  readonly #bound: { readonly name: string | undefined } | undefined;
  readonly #lockFile: string;
  readonly #file: JsonFile<typeof fileForm>;
  readonly #keychain: Keychain;
  /** Once it was needed: a session that is renewed must not have to ask the keychain again. One for all places. */
  #known: { wrapping: Wrapping | undefined } = { wrapping: undefined };

  /** @param bound the place that they are for, whatever the settings name */
  constructor(home: Home, keychain: Keychain, bound?: { readonly name: string | undefined }) {
    this.#bound = bound;
    this.#home = home;
    this.place = home.secretsFile;
    this.#file = new JsonFile(home.secretsFile, fileForm);
    this.#lockFile = join(home.folder, 'secrets-lock.sqlite');
    this.#keychain = keychain;
  }

  get protection(): 'file' | 'keychain' {
    try {
      return this.#read()?.kind === 'sealed' ? 'keychain' : 'file';
    } catch {
      // Whoever wants the secrets is told what is wrong with them.
      return 'file';
    }
  }

  /** @throws HoldfastError `home_damaged`, `keychain_unavailable` */
  async load(): Promise<Secrets | undefined> {
    const kept = await this.#loadAll();
    if (!kept) return undefined;
    const { places, masterKey, ...own } = kept;
    const name = this.#placeName;
    const place = name === undefined ? own : places?.[name];
    if (!place) throw this.#damaged('missing');
    return { masterKey, ...place };
  }

  /** They stay as they are protected; new ones are not sealed. @throws HoldfastError as `load`, `home_unwritable` */
  async save({ masterKey, ...place }: Secrets): Promise<void> {
    const name = this.#placeName;
    await this.#change((kept) => {
      const places = kept?.places;
      if (!kept || name === undefined) return { masterKey, ...place, ...(places && { places }) };
      return { ...kept, masterKey, places: { ...places, [name]: place } };
    });
  }

  at(name: string | undefined): HomeKeyStore {
    const bound = new HomeKeyStore(this.#home, this.#keychain, { name });
    bound.#known = this.#known;
    return bound;
  }

  async saveDestination(name: string, secrets: DestinationSecrets, others: readonly string[]): Promise<void> {
    await this.#change((kept) => {
      if (!kept) throw new HoldfastError('not_set_up');
      const stay = Object.entries(kept.places ?? {}).filter(([other]) => others.includes(other));
      return { ...kept, places: { ...Object.fromEntries(stay), [name]: secrets } };
    });
  }

  /** Of the place that they are for; nothing for the one that the setup made. */
  get #placeName(): string | undefined {
    return this.#bound ? this.#bound.name : loadSettings(this.#home)?.credentials;
  }

  async #loadAll(): Promise<KeptSecrets | undefined> {
    const found = this.#read();
    return found?.kind === 'sealed' ? this.#open(found.form, await this.#wrappingOf(found.form)) : found?.secrets;
  }

  async #change(change: (kept: KeptSecrets | undefined) => KeptSecrets): Promise<void> {
    const before = this.#read();
    const wrapping = before?.kind === 'sealed' ? await this.#wrappingOf(before.form) : undefined;
    using _lock = this.#lock();
    const now = this.#throwIfMoved(wrapping);
    const kept = now && this.#secretsIn(now, wrapping);
    this.#file.writeSync(written(change(kept), wrapping));
  }

  /**
   * Moves the secrets. They are read back from their new place before the old one counts no more; when anything fails
   * they are where they were.
   *
   * @throws HoldfastError `keychain_unavailable`, `not_set_up`, `home_damaged`, `home_busy`, `home_unwritable`
   */
  async moveTo(protection: 'file' | 'keychain'): Promise<void> {
    const found = this.#read();
    if (!found) throw new HoldfastError('not_set_up');
    if (protection === 'keychain' && found.kind === 'plain') await this.#moveToKeychain();
    if (protection === 'file' && found.kind === 'sealed') await this.#moveToFile(found.form);
  }

  async #moveToKeychain(): Promise<void> {
    const account = randomUUID();
    const made = new Uint8Array(randomBytes(WRAPPING_KEY_BYTES));
    try {
      await this.#keychain.set(account, made);
      const key = await this.#keychain.get(account);
      if (!key || !isDeepStrictEqual(key, made)) throw unavailable('not-kept');
      this.#rewrite(undefined, { account, key });
    } catch (error) {
      await this.#forget(account);
      throw error;
    }
  }

  async #moveToFile(form: SealedSecrets): Promise<void> {
    this.#rewrite(await this.#wrappingOf(form), undefined);
    await this.#forget(form.account);
  }

  /** A key that stays behind opens nothing. */
  async #forget(account: string): Promise<void> {
    await this.#keychain.delete(account).catch(() => undefined);
  }

  /** Protects the secrets otherwise, as they are at this moment; what was written is opened again, or taken back. */
  #rewrite(from: Wrapping | undefined, to: Wrapping | undefined): void {
    using _lock = this.#lock();
    const before = this.#throwIfMoved(from);
    if (!before) throw new HoldfastError('not_set_up');
    const secrets = this.#secretsIn(before, from);
    this.#file.writeSync(written(secrets, to));
    try {
      const now = this.#secretsIn(this.#read()!, to);
      if (!isDeepStrictEqual(now, secrets)) throw this.#damaged('not-kept');
      this.#known.wrapping = to;
    } catch (error) {
      this.#file.writeSync(before.kind === 'sealed' ? before.form : writtenSecrets(before.secrets));
      throw error;
    }
  }

  /** Another process may have moved the secrets since they were looked at. */
  #throwIfMoved(wrapping: Wrapping | undefined): Found | undefined {
    const found = this.#read();
    const account = found?.kind === 'sealed' ? found.form.account : undefined;
    if (account !== wrapping?.account) throw busy();
    return found;
  }

  #secretsIn(found: Found, wrapping: Wrapping | undefined): KeptSecrets {
    return found.kind === 'sealed' ? this.#open(found.form, wrapping!) : found.secrets;
  }

  #open(form: SealedSecrets, { key }: Wrapping): KeptSecrets {
    try {
      return openSecrets(form, key);
    } catch {
      throw this.#damaged('sealed-otherwise');
    }
  }

  async #wrappingOf({ account }: SealedSecrets): Promise<Wrapping> {
    if (this.#known.wrapping?.account === account) return this.#known.wrapping;
    const key = await this.#keychain.get(account);
    if (key?.length !== WRAPPING_KEY_BYTES) throw unavailable('no-key');
    const wrapping = { account, key };
    this.#known.wrapping = wrapping;
    return wrapping;
  }

  #lock(): Disposable {
    const lock = ProcessLock.take(this.#lockFile, PATIENCE_MS);
    if (!lock) throw busy();
    return lock;
  }

  #read(): Found | undefined {
    return this.#file.readSync((damage) => {
      if (damage.kind === 'inaccessible') throw this.#damaged(systemCodeOf(damage.error) ?? 'unreadable', damage.error);
      // The parser's error may quote the file, so it is not attached as a cause.
      throw this.#damaged('unreadable');
    });
  }

  #damaged(problem: string, cause?: unknown): HoldfastError {
    return new HoldfastError('home_damaged', { file: this.place, problem }, { cause });
  }
}

function written(secrets: KeptSecrets, wrapping: Wrapping | undefined): z.input<typeof fileForm> {
  return wrapping ? sealSecrets(secrets, wrapping.key, wrapping.account) : writtenSecrets(secrets);
}

function unavailable(problem: string): HoldfastError {
  return new HoldfastError('keychain_unavailable', { problem });
}

function busy(): HoldfastError {
  return new HoldfastError('home_busy', { command: 'a move of the keys' }, { retryable: true });
}
