import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Undecided } from './clause.ts';
import { exchange, good } from './exchange.ts';
import type { Answer, Sent } from './exchange.ts';
import { fieldsOf } from './fields.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';
import { startOfStep, totpCode, totpStep } from './totp.ts';

export interface SubjectOptions {
  /** The service's base address. */
  readonly url: string;
  readonly user?: { readonly email: string; readonly password: string; readonly totpSecret: string } | undefined;
  readonly device?: { readonly id: string; readonly key: string } | undefined;
  /** The service's clock, in milliseconds. */
  readonly now: () => number;
  /** Advances the service's clock, if that is possible without waiting. */
  readonly elapse?: ((seconds: number) => Promise<void>) | undefined;
  /** Receives deliveries of a webhook. */
  readonly receiver?: WebhookReceiver | undefined;
  /** Longest real wait of a clause, in seconds. */
  readonly longestWait: number;
}

interface Token {
  readonly token: string;
  /** By the service's clock. */
  readonly expiresAt: number;
}

/** Most responses to one request that ask to retry later. */
const PATIENCE = 6;

/** Milliseconds before expiry at which a token is renewed. */
const MARGIN = 60_000;

/** The service under test, with credentials for it. */
export class Subject {
  readonly options: SubjectOptions;
  #lastStep = -1;
  #lastSignature = 0;
  #userToken: (Token & { readonly refreshToken: string }) | undefined;
  #deviceToken: Token | undefined;
  #deviceId: Promise<string> | undefined;
  readonly #kept = new Map<string, Promise<unknown>>();
  /** Sessions, and backup sets with their devices, that requests have created. */
  readonly created = { sessions: new Set<string>(), sets: new Map<string, string>() };

  constructor(options: SubjectOptions) {
    this.options = { ...options, url: options.url.replace(/\/+$/, '') };
  }

  now(): number {
    return this.options.now();
  }

  /** Results that several clauses share; the first one creates them. */
  once<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    const kept = this.#kept.get(name) ?? make();
    this.#kept.set(name, kept);
    return kept as Promise<Value>;
  }

  /** Waits, or advances the service's clock if possible. @throws Undecided if the wait is too long */
  async pass(seconds: number): Promise<void> {
    const { elapse, longestWait } = this.options;
    if (elapse) return elapse(seconds);
    if (seconds > longestWait) throw new Undecided(`takes ${seconds} s; --wait ${seconds} waits for it`);
    await sleep(seconds * 1000);
  }

  get(path: string, token?: string): Promise<Answer> {
    return this.send({ method: 'GET', url: this.options.url + path, token });
  }

  post(path: string, body: unknown, token?: string): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const sent = this.send({ method: 'POST', url: this.options.url + path, token, body: text });
    return path === '/functions/v1/backup/init' ? sent.then((answer) => this.#note(body, answer)) : sent;
  }

  #note(body: unknown, answer: Answer): Answer {
    const { device_id: device, backup_set: set } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const { session_id: session } = (answer.json ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof session === 'string') this.created.sessions.add(session);
    if (answer.status < 300 && typeof device === 'string' && typeof set === 'string')
      this.created.sets.set(set, device);
    return answer;
  }

  /** Sends a request to any address, and retries later if the service asks for it. */
  async send(sent: Sent): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await exchange(sent);
      const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
      if (answer.status !== 429 || tries === PATIENCE || !Number.isFinite(seconds)) return answer;
      await this.pass(seconds + 1);
    }
  }

  /** @throws Undecided if there is none */
  get user(): NonNullable<SubjectOptions['user']> {
    if (this.options.user) return this.options.user;
    throw new Undecided('needs a user: --email, --password-file, --totp-secret');
  }

  get device(): NonNullable<SubjectOptions['device']> {
    if (this.options.device) return this.options.device;
    throw new Undecided('needs a device: --device-id, --device-key');
  }

  get receiver(): WebhookReceiver {
    if (this.options.receiver) return this.options.receiver;
    throw new Undecided('needs a webhook: --webhook-port, --webhook-secret-file');
  }

  password(email = this.user.email, password = this.user.password): Promise<Answer> {
    return this.post('/auth/v1/token?grant_type=password', { email, password });
  }

  verify(factorId: string, code: string, mfaToken?: string): Promise<Answer> {
    return this.post(`/auth/v1/factors/${encodeURIComponent(factorId)}/verify`, { code }, mfaToken);
  }

  refresh(refreshToken: string): Promise<Answer> {
    return this.post('/auth/v1/token?grant_type=refresh_token', { refresh_token: refreshToken });
  }

  /** A token for the second factor, and the TOTP factor. */
  async challenge(): Promise<{ readonly mfaToken: string; readonly factorId: string }> {
    const answer = good('the password grant', await this.password());
    const { mfa_token: mfaToken, factors } = fieldsOf('the password grant', answer.json, {
      mfa_token: 'text',
      factors: 'array',
    });
    const types = factors.map((factor) => fieldsOf('a factor', factor, { id: 'text', type: 'text' }));
    const totp = types.find(({ type }) => type === 'totp');
    if (!totp) throw new Undecided('the user has no TOTP factor');
    return { mfaToken, factorId: totp.id };
  }

  /** An unused code: services may accept each only once. */
  async freshCode(): Promise<string> {
    const wanted = this.#lastStep + 1;
    const wait = startOfStep(wanted) - this.now();
    if (wait > 0) await this.pass(Math.ceil(wait / 1000));
    this.#lastStep = Math.max(totpStep(this.now()), wanted);
    return totpCode(this.user.totpSecret, this.#lastStep);
  }

  /** Makes a separate sign-in: password, then second factor. */
  async signIn(): Promise<Answer> {
    const { mfaToken, factorId } = await this.challenge();
    return good('factor verify', await this.verify(factorId, await this.freshCode(), mfaToken));
  }

  async userToken(): Promise<string> {
    const known = this.#userToken;
    if (known && known.expiresAt - MARGIN > this.now()) return known.token;
    const answer = known
      ? good('the refresh grant', await this.refresh(known.refreshToken))
      : await this.once('sign-in', () => this.signIn());
    const fields = { access_token: 'text', refresh_token: 'text', expires_in: 'count' } as const;
    const {
      access_token: token,
      refresh_token: refreshToken,
      expires_in: life,
    } = fieldsOf('a sign-in', answer.json, fields);
    this.#userToken = { token, refreshToken, expiresAt: this.now() + life * 1000 };
    return token;
  }

  /** `t=<unix seconds>,v1=<hex HMAC-SHA256 under the device key of "<t>.<device_id>">`, a new one each time. */
  signature(key = this.device.key, time = this.#freshSecond()): string {
    const hmac = createHmac('sha256', key).update(`${time}.${this.device.id}`).digest('hex');
    return `t=${time},v1=${hmac}`;
  }

  #freshSecond(): number {
    this.#lastSignature = Math.max(Math.floor(this.now() / 1000), this.#lastSignature + 1);
    return this.#lastSignature;
  }

  authenticateDevice(given: { readonly key?: string; readonly signature?: string } = {}): Promise<Answer> {
    const { id, key } = this.device;
    const signature = given.signature ?? this.signature();
    return this.post('/functions/v1/auth/device', { device_key: given.key ?? key, device_id: id, signature });
  }

  /**
   * Authenticates the device, as Holdfast signs. The interface does not show which key signs, and how.
   *
   * @throws Undecided if the service refuses it
   */
  async signedDevice(): Promise<Answer> {
    const answer = await this.authenticateDevice();
    if (answer.status < 400 || answer.status >= 500) return answer;
    throw new Undecided('the service refuses the key, or the signature, whose details the interface does not show');
  }

  async deviceToken(): Promise<string> {
    const known = this.#deviceToken;
    if (known && known.expiresAt - MARGIN > this.now()) return known.token;
    const answer = good('device authentication', await this.signedDevice());
    const { access_token: token, expires_in: life } = fieldsOf('device authentication', answer.json, {
      access_token: 'text',
      expires_in: 'count',
    });
    this.#deviceToken = { token, expiresAt: this.now() + life * 1000 };
    return token;
  }

  /** A token for backup and restore: the device's own if there is one. */
  token(): Promise<string> {
    if (!this.options.device) return this.userToken();
    return this.deviceToken().catch((error: unknown) => {
      if (error instanceof Undecided && this.options.user) return this.userToken();
      throw error;
    });
  }

  /** The device of these backups. */
  deviceId(): Promise<string> {
    this.#deviceId ??= this.#findDevice();
    return this.#deviceId;
  }

  async #findDevice(): Promise<string> {
    if (this.options.device) return this.options.device.id;
    const answer = good('the list of devices', await this.get('/rest/v1/devices', await this.userToken()));
    const { devices } = fieldsOf('the list of devices', answer.json, { devices: 'array' });
    const [first] = devices.map((device) => fieldsOf('a device', device, { id: 'text' }));
    if (!first) throw new Undecided('the account has no device: --device-id and --device-key name one');
    return first.id;
  }
}
