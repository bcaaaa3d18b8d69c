import { TOTP } from 'otpauth';
import { onTestFinished } from 'vitest';
import { createAccount } from '../../../../src/service/accounts.ts';
import { file, temporaryDirectory, TestService } from '../../../unit/service/harness.ts';
import type { Answer, TestDevice } from '../../../unit/service/harness.ts';
import { CHEAP } from '../../../helpers/service/cheap-passwords.ts';

export const PASSWORD = 'correct horse battery staple';
const HOUR = 3_600_000;
const STEP = 30_000;
/** Milliseconds after which a token is renewed, before it expires. */
const ACCESS_USED = 50 * 60_000;
const MFA_USED = 4 * 60_000;

/** A user who can sign in repeatedly. */
interface Person {
  readonly email: string;
  /** Set once the second factor exists. */
  totpSecret: string;
}

export interface SignedIn {
  readonly access: string;
  readonly refresh: string;
}

interface Challenge {
  readonly mfaToken: string;
  readonly factorId: string;
}

interface Since {
  readonly since: number;
}

/** Two accounts on one service: one with the devices under test, and an unrelated one. */
export class People {
  readonly service: TestService;
  readonly owner: Person;
  readonly admin: Person;
  readonly member: Person;
  readonly auditor: Person;
  readonly stranger: Person;
  readonly device: TestDevice;
  readonly otherDevice: TestDevice;
  readonly strangeDevice: TestDevice;
  // Password hashing is slow by design, so sign-ins are cached.
  readonly #sessions = new Map<Person, SignedIn & Since>();
  #challenge: (Challenge & Since) | undefined;

  private constructor(service: TestService, owner: Person, stranger: Person, devices: readonly TestDevice[]) {
    this.service = service;
    this.owner = owner;
    this.stranger = stranger;
    [this.device, this.otherDevice, this.strangeDevice] = devices as [TestDevice, TestDevice, TestDevice];
    this.admin = { email: 'adam@example.com', totpSecret: '' };
    this.member = { email: 'mia@example.com', totpSecret: '' };
    this.auditor = { email: 'aldo@example.com', totpSecret: '' };
  }

  static async open(): Promise<People> {
    const directory = await temporaryDirectory();
    const owner = await personOf(directory, 'anna@example.com');
    const stranger = await personOf(directory, 'eve@example.com');
    const service = await TestService.open(directory);
    const [account, strange] = await Promise.all([owner, stranger].map((person) => accountOf(service, person)));
    const devices = [await service.register(account), await service.register(account), await service.register(strange)];
    const people = new People(service, owner, stranger, devices);
    for (const [person, role] of [
      [people.admin, 'admin'],
      [people.member, 'member'],
      [people.auditor, 'auditor'],
    ] as const) {
      person.totpSecret = await people.#join(person, role);
    }
    onTestFinished(() => service.close());
    return people;
  }

  /** Renews expired access tokens. */
  async token({ id }: TestDevice): Promise<string> {
    const stored = await this.service.service.context.metadata.devices.find(id);
    return this.service.tokenOf(id, stored!.accountId);
  }

  /** Registers a second device with fewer permissions. */
  async withPermissions(permissions: readonly string[]): Promise<TestDevice> {
    const { devices } = this.service.service.context.metadata;
    const { id: like } = await this.service.register((await devices.find(this.device.id))!.accountId);
    const stored = (await devices.find(like))!;
    const id = `${like}limited`;
    const data = {
      device_id: id,
      device_name: stored.name,
      os: stored.os,
      agent_version: stored.agentVersion,
      registered_at: new Date(this.service.clock.now()).toISOString(),
    };
    await devices.register({ ...stored, id, permissions: permissions as typeof stored.permissions }, this.now, {
      event: 'device.registered',
      data,
    });
    return { id, key: '', token: await this.service.tokenOf(id, stored.accountId) };
  }

  get now(): number {
    return this.service.clock.now();
  }

  /** Advances the time until every access token has expired. */
  passAnHour(): void {
    this.service.clock.advance(HOUR + 1_000);
  }

  async challenge({ email }: Person): Promise<Challenge> {
    const { body } = await this.service.post('/auth/v1/token?grant_type=password', undefined, {
      email,
      password: PASSWORD,
    });
    return { mfaToken: body.mfa_token as string, factorId: body.factors[0].id as string };
  }

  /** Returns an unused code: advances the time by two steps. */
  freshCode({ totpSecret }: Person): string {
    this.service.clock.advance(2 * STEP);
    return new TOTP({ secret: totpSecret }).generate({ timestamp: this.now });
  }

  async signIn(person: Person): Promise<SignedIn> {
    const { mfaToken, factorId } = await this.challenge(person);
    const code = this.freshCode(person);
    const { body } = await this.service.post(`/auth/v1/factors/${factorId}/verify`, mfaToken, { code });
    return { access: body.access_token as string, refresh: body.refresh_token as string };
  }

  /** Returns a valid access token of a sign-in whose second factor was proved just now. */
  async access(person: Person): Promise<string> {
    const kept = this.#sessions.get(person);
    let session: SignedIn | undefined = kept && this.now - kept.since < ACCESS_USED ? kept : undefined;
    if (!session) {
      session = kept ? await this.#renewed(kept) : await this.signIn(person);
      this.#sessions.set(person, { ...session, since: this.now });
    }
    // A code would advance the time.
    const claims = await this.service.service.tokens.verify(session.access, this.now);
    if (claims.kind === 'user') await this.service.service.context.metadata.signIns.proved(claims.family, this.now);
    return session.access;
  }

  /** Returns a token after signing out. */
  forgetAll(): void {
    this.#sessions.clear();
  }

  async #renewed({ refresh }: SignedIn): Promise<SignedIn> {
    const path = '/auth/v1/token?grant_type=refresh_token';
    const { body } = await this.service.post(path, undefined, { refresh_token: refresh });
    return { access: body.access_token as string, refresh: body.refresh_token as string };
  }

  /** Returns the owner's valid MFA token. */
  async mfaToken(): Promise<string> {
    return (await this.#currentChallenge()).mfaToken;
  }

  async factorId(): Promise<string> {
    return (await this.#currentChallenge()).factorId;
  }

  async #currentChallenge(): Promise<Challenge> {
    if (!this.#challenge || this.now - this.#challenge.since > MFA_USED) {
      this.#challenge = { ...(await this.challenge(this.owner)), since: this.now };
    }
    return this.#challenge;
  }

  /** Returns a used token. */
  forgetChallenge(): void {
    this.#challenge = undefined;
  }

  async invite(
    email: string,
    role: 'admin' | 'member' | 'auditor',
  ): Promise<{ readonly id: string; readonly token: string }> {
    const { body } = await this.service.post('/auth/v1/invitations', await this.access(this.owner), { email, role });
    return { id: body.id as string, token: body.token as string };
  }

  /** Returns the enrolment token of an invited user. */
  async accept(email: string, role: 'admin' | 'member' | 'auditor'): Promise<string> {
    const { token } = await this.invite(email, role);
    const path = '/auth/v1/invitations/accept';
    return (await this.service.post(path, undefined, { token, password: PASSWORD })).body.enrolment_token as string;
  }

  /** Returns the secret of the second factor. */
  async #join({ email }: Person, role: 'admin' | 'member' | 'auditor'): Promise<string> {
    const token = await this.accept(email, role);
    const { body } = await this.service.post('/auth/v1/factors', token, {});
    const totpSecret = body.totp.secret as string;
    const code = this.freshCode({ email, totpSecret });
    await this.service.post(`/auth/v1/factors/${body.id}/verify`, token, { code });
    return totpSecret;
  }

  #spare = 0;
  /** Creates a member without further properties. */
  async spareMember(): Promise<string> {
    const { body } = await this.service.call('GET', '/auth/v1/members', await this.access(this.owner));
    const members = body.members as readonly { readonly id: string; readonly email: string }[];
    const spare = members.find(({ email }) => email.startsWith('spare'));
    if (spare) return spare.id;
    await this.accept(this.newEmail(), 'member');
    return this.spareMember();
  }

  newEmail(): string {
    this.#spare += 1;
    return `spare${this.#spare}@example.com`;
  }

  /** Acts as the owner, who may back up every device of the account. */
  async backUp(deviceId: string, token: string): Promise<Answer> {
    const run = await this.service.backUp({ id: deviceId, key: '', token }, 'docs', [file('/a', ['some text'])]);
    if (run.status !== 200) throw new Error(`complete answered ${run.status}`);
    return run;
  }
}

async function personOf(directory: string, email: string): Promise<Person> {
  const { totp_secret: totpSecret } = await createAccount(
    directory,
    { email, password: PASSWORD },
    { passwordCost: CHEAP },
  );
  return { email, totpSecret };
}

async function accountOf(service: TestService, { email }: Person): Promise<string> {
  const user = await service.service.context.metadata.accounts.userByEmail(email);
  return user!.accountId;
}
