import { clausesOf } from '../clause.ts';
import type { Clause } from '../clause.ts';
import { exchange, notAllowed } from '../exchange.ts';
import type { Subject } from '../subject.ts';

const { required } = clausesOf('tokens');

/** Bodies may be invalid, since unauthorised callers must not learn whether they are valid. */
const CALLS = [
  ['POST', '/functions/v1/backup/init'],
  ['POST', '/functions/v1/backup/presign'],
  ['POST', '/functions/v1/backup/progress'],
  ['POST', '/functions/v1/backup/complete'],
  ['POST', '/functions/v1/restore/manifest'],
  ['POST', '/functions/v1/restore/presign'],
  ['GET', '/rest/v1/devices'],
] as const;

const UNUSABLE: readonly (readonly [what: string, header: string | undefined])[] = [
  ['without a token', undefined],
  ['with a token that nobody gave out', 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA'],
  ['with an unsigned token', `Bearer ${unsigned()}`],
  ['with another scheme', 'Basic YTpi'],
];

export const TOKENS_NEEDED: readonly Clause[] = CALLS.map(([method, path]) =>
  required(`${method} ${path} needs an access token`, (subject) => refusesAll(subject, method, path)),
);

async function refusesAll(subject: Subject, method: 'GET' | 'POST', path: string): Promise<void> {
  for (const [what, header] of UNUSABLE) {
    const answer = await exchange({
      method,
      url: subject.options.url + path,
      headers: header === undefined ? {} : { authorization: header },
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    notAllowed(what, answer);
  }
}

function unsigned(): string {
  const [header, payload] = [{ alg: 'none' }, { sub: '1', exp: 4_000_000_000 }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return `${header}.${payload}.`;
}
