import type { AccountSession } from '../../../src/ipc/contract/account/account.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { NOW } from './states.ts';
import type { Answers } from './window-page.ts';

const HOUR = 3_600_000;
const ago = (hours: number): string => new Date(NOW - hours * HOUR).toISOString();

/** The session of the window, one of a browser, and one of an unknown program. */
export const SESSIONS: readonly AccountSession[] = [
  {
    id: 's1',
    userAgent: 'holdfast/0.1.0 (Linux)',
    address: '203.0.113.7',
    createdAt: ago(0),
    lastUsedAt: ago(0),
    isThisOne: true,
  },
  {
    id: 's2',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    address: '203.0.113.7',
    createdAt: ago(50),
    lastUsedAt: ago(3),
    isThisOne: false,
  },
  {
    id: 's3',
    userAgent: '',
    address: '2001:db8:85a3::8a2e:370:7334',
    createdAt: ago(900),
    lastUsedAt: ago(200),
    isThisOne: false,
  },
];

interface AccountScript {
  readonly provider?: boolean;
  readonly hasSessions?: boolean;
  /** The person has signed in already before the first list is requested. */
  readonly isSignedIn?: boolean;
  readonly signedIn?: () => void;
  readonly factors?: readonly { readonly id: string; readonly kind: string }[];
}

/** Anna’s account with its password and the code 123456. */
export function accountAnswers(script: AccountScript = {}): Answers {
  const { provider = false, hasSessions = true, signedIn = () => undefined } = script;
  const { factors = [{ id: 'f1', kind: 'totp' }] } = script;
  let sessions = [...SESSIONS];
  let isSignedIn = script.isSignedIn ?? false;
  return {
    'account.show': () => ({ email: 'anna@example.org', signsInBy: 'key' }),
    'account.ways': () => ({ password: true, provider, hasSessions }),
    'account.sign-in': ({ password }) => {
      if (password !== 'correct horse') throw new HoldfastError('password_wrong');
      return { kind: 'factors', factors: [...factors] };
    },
    'account.verify-factor': ({ code }) => {
      if (code !== '123456') throw new HoldfastError('code_wrong');
      isSignedIn = true;
      signedIn();
      return { kind: 'signed-in', email: 'anna@example.org' };
    },
    'account.leave': () => {
      isSignedIn = false;
      return {};
    },
    'account.sign-in-again': () => ({}),
    'account.sessions': () => {
      if (!isSignedIn) throw new HoldfastError('signed_out');
      return { email: 'anna@example.org', sessions };
    },
    'account.end-session': ({ id }) => {
      sessions = sessions.filter((session) => session.id !== id);
      return {};
    },
    'account.end-other-sessions': () => {
      sessions = sessions.filter(({ isThisOne }) => isThisOne);
      return {};
    },
  };
}
