import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { JsonFile } from '../../base/files/json-file.ts';
import type { Home } from '../home/home.ts';
import { ProcessLock } from '../../base/files/process-lock.ts';
import { loadSettings } from '../home/settings.ts';
import {
  accountSecretsIn,
  destinationSecretsIn,
  type AccountSecrets,
  type DestinationSecrets,
  type KeyStore,
  type Secrets,
} from './key-store.ts';
import type { StoredSession } from '../../remote/sign-in/user-token-source.ts';
import type { Keychain } from './keychain.ts';
import { openSecrets, sealedForm, sealSecrets, WRAPPING_KEY_BYTES, type SealedSecrets } from './sealed-secrets.ts';
import { secretsForm, writtenSecrets, type StoredSecrets } from './secrets-form.ts';

/** Writing the file takes milliseconds. */
const PATIENCE_MS = 10_000;

/** How often the protection may move while secrets are changed. */
const MOST_MOVES = 3;

/** The content of the file: plain secrets, or sealed ones. */
const fileForm = z.union([
  sealedForm.transform((form) => ({ kind: 'sealed' as const, form })),
  secretsForm.transform((secrets) => ({ kind: 'plain' as const, secrets })),
]);
type Found = z.output<typeof fileForm>;

/** A key in the keychain, with its account name there. */
interface Wrapping {
  readonly account: string;
  readonly key: Uint8Array;
}

/**
 * Stores secrets in a file of the home that only its owner may read: plain, or sealed with a key in the system's keychain.
 * The file's form identifies which, so that every process of the home can open it.
 */
export class HomeKeyStore implements KeyStore {
  readonly location: string;
  readonly #home: Home;
  readonly #bound: { readonly name: string | undefined } | undefined;
  readonly #lockFile: string;
  readonly #file: JsonFile<typeof fileForm>;
  readonly #keychain: Keychain;
  /** Cached, so that a renewed session does not ask the keychain again. Shared by the views of all destinations. */
  #cached: { wrapping: Wrapping | undefined } = { wrapping: undefined };

  /** @param bound the destination of this view. By default, the first of the settings */
  constructor(home: Home, keychain: Keychain, bound?: { readonly name: string | undefined }) {
    this.#bound = bound;
    this.#home = home;
    this.location = home.secretsFile;
    this.#file = new JsonFile(home.secretsFile, fileForm);
    this.#lockFile = join(home.folder, 'secrets-lock.sqlite');
    this.#keychain = keychain;
  }

  get protection(): 'file' | 'keychain' {
    try {
      return this.#read()?.kind === 'sealed' ? 'keychain' : 'file';
    } catch {
      // Loading the secrets reports the damage.
      return 'file';
    }
  }

  /** @throws HoldfastError `home_damaged`, `keychain_unavailable` */
  async load(): Promise<Secrets | undefined> {
    const found = this.#read();
    if (!found) return undefined;
    const wrapping = found.kind === 'sealed' ? await this.#wrappingOf(found.form) : undefined;
    const { destinations, mailPasswords: _mail, ...stored } = this.#secretsIn(found, wrapping);
    const name = this.#destinationName;
    const secrets = name === undefined ? destinationSecretsIn(stored) : destinations?.[name];
    if (!secrets) throw this.#damaged('missing');
    return { ...accountSecretsIn(stored), ...secrets };
  }

  /** Keeps the protection. New secrets are not sealed. @throws HoldfastError as `load`, `home_unwritable` */
  async save(secrets: Secrets): Promise<void> {
    const name = this.#destinationName;
    await this.#change((stored) => {
      if (!stored) return secrets;
      const { destinations, mailPasswords } = stored;
      const others = { ...(destinations && { destinations }), ...(mailPasswords && { mailPasswords }) };
      // Somebody who loaded the secrets a moment ago must not take a key back that was adopted since.
      const account = accountSecretsIn((stored.epoch ?? 1) > (secrets.epoch ?? 1) ? stored : secrets);
      const own = destinationSecretsIn(secrets);
      if (name === undefined) return { ...account, ...own, ...others };
      return { ...account, ...destinationSecretsIn(stored), destinations: { ...destinations, [name]: own } };
    });
  }

  async saveKeys(account: AccountSecrets, keyEnvelope: Uint8Array): Promise<void> {
    const name = this.#destinationName;
    await this.#change((stored) => {
      if (!stored) throw new HoldfastError('not_set_up');
      const { destinations } = stored;
      const keys = accountSecretsIn((stored.epoch ?? 1) > (account.epoch ?? 1) ? stored : account);
      if (name === undefined) return { ...stored, ...keys, keyEnvelope };
      const before = destinations?.[name];
      if (!before) throw this.#damaged('missing');
      return { ...stored, ...keys, destinations: { ...destinations, [name]: { ...before, keyEnvelope } } };
    });
  }

  at(name: string | undefined): HomeKeyStore {
    const bound = new HomeKeyStore(this.#home, this.#keychain, { name });
    bound.#cached = this.#cached;
    return bound;
  }

  async saveDestination(name: string, secrets: DestinationSecrets, others: readonly string[]): Promise<void> {
    await this.#change((stored) => {
      if (!stored) throw new HoldfastError('not_set_up');
      const remaining = Object.entries(stored.destinations ?? {}).filter(([other]) => others.includes(other));
      return { ...stored, destinations: { ...Object.fromEntries(remaining), [name]: secrets } };
    });
  }

  async saveSession(session: StoredSession): Promise<void> {
    const name = this.#destinationName;
    await this.#change((stored) => {
      if (!stored) throw new HoldfastError('not_set_up');
      if (name === undefined) return { ...stored, session };
      const before = stored.destinations?.[name];
      if (!before) throw this.#damaged('missing');
      return { ...stored, destinations: { ...stored.destinations, [name]: { ...before, session } } };
    });
  }

  async mailPassword(server: string): Promise<string | undefined> {
    const found = this.#read();
    if (!found) return undefined;
    const wrapping = found.kind === 'sealed' ? await this.#wrappingOf(found.form) : undefined;
    return this.#secretsIn(found, wrapping).mailPasswords?.[server];
  }

  saveMailPassword(server: string, password: string | undefined): Promise<void> {
    return this.#changeMail((before) => [...before.filter(([other]) => other !== server), [server, password]]);
  }

  keepMailPassword(server: string | undefined): Promise<void> {
    return this.#changeMail((before) => before.filter(([other]) => other === server));
  }

  #changeMail(
    change: (before: readonly [string, string][]) => readonly (readonly [string, string | undefined])[],
  ): Promise<void> {
    return this.#change((stored) => {
      if (!stored) throw new HoldfastError('not_set_up');
      const { mailPasswords = {}, ...others } = stored;
      const kept = change(Object.entries(mailPasswords)).filter(([, password]) => password !== undefined);
      return kept.length === 0
        ? others
        : { ...others, mailPasswords: Object.fromEntries(kept) as typeof mailPasswords };
    });
  }

  /** `undefined` for the destination of the setup. */
  get #destinationName(): string | undefined {
    return this.#bound ? this.#bound.name : loadSettings(this.#home)?.credentials;
  }

  async #change(change: (stored: StoredSecrets | undefined) => StoredSecrets): Promise<void> {
    for (let moves = 0; ; moves += 1) {
      const before = this.#read();
      const wrapping = before?.kind === 'sealed' ? await this.#wrappingOf(before.form) : undefined;
      using _lock = this.#lock();
      if (moves < MOST_MOVES && this.#isMoved(wrapping)) continue;
      const found = this.#throwIfMoved(wrapping);
      this.#file.writeSync(written(change(found && this.#secretsIn(found, wrapping)), wrapping));
      return;
    }
  }

  /**
   * Changes the protection of the secrets. They are read back before the old form is given up. If anything fails, nothing
   * has changed.
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

  /** Ignores failures: a key that remains opens nothing. */
  async #forget(account: string): Promise<void> {
    await this.#keychain.delete(account).catch(() => undefined);
  }

  /** Writes the current secrets under another protection, and restores the file if they cannot be read back. */
  #rewrite(from: Wrapping | undefined, to: Wrapping | undefined): void {
    using _lock = this.#lock();
    const before = this.#throwIfMoved(from);
    if (!before) throw new HoldfastError('not_set_up');
    const secrets = this.#secretsIn(before, from);
    this.#file.writeSync(written(secrets, to));
    try {
      const now = this.#secretsIn(this.#read()!, to);
      if (!isDeepStrictEqual(now, secrets)) throw this.#damaged('not-kept');
      this.#cached.wrapping = to;
    } catch (error) {
      this.#file.writeSync(before.kind === 'sealed' ? before.form : writtenSecrets(before.secrets));
      throw error;
    }
  }

  /** Another process may have changed the protection since the file was read. */
  #throwIfMoved(wrapping: Wrapping | undefined): Found | undefined {
    if (this.#isMoved(wrapping)) throw busy();
    return this.#read();
  }

  #isMoved(wrapping: Wrapping | undefined): boolean {
    const found = this.#read();
    return (found?.kind === 'sealed' ? found.form.account : undefined) !== wrapping?.account;
  }

  #secretsIn(found: Found, wrapping: Wrapping | undefined): StoredSecrets {
    return found.kind === 'sealed' ? this.#open(found.form, wrapping!) : found.secrets;
  }

  #open(form: SealedSecrets, { key }: Wrapping): StoredSecrets {
    try {
      return openSecrets(form, key);
    } catch {
      throw this.#damaged('sealed-otherwise');
    }
  }

  async #wrappingOf({ account }: SealedSecrets): Promise<Wrapping> {
    if (this.#cached.wrapping?.account === account) return this.#cached.wrapping;
    const key = await this.#keychain.get(account);
    if (key?.length !== WRAPPING_KEY_BYTES) throw unavailable('no-key');
    const wrapping = { account, key };
    this.#cached.wrapping = wrapping;
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
    return new HoldfastError('home_damaged', { file: this.location, problem }, { cause });
  }
}

function written(secrets: StoredSecrets, wrapping: Wrapping | undefined): z.input<typeof fileForm> {
  return wrapping ? sealSecrets(secrets, wrapping.key, wrapping.account) : writtenSecrets(secrets);
}

function unavailable(problem: string): HoldfastError {
  return new HoldfastError('keychain_unavailable', { problem });
}

function busy(): HoldfastError {
  return new HoldfastError('home_busy', { command: 'a move of the keys' }, { retryable: true });
}
