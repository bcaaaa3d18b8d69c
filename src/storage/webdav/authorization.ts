import { createHash, randomBytes } from 'node:crypto';

export interface WebdavCredentials {
  readonly user: string;
  readonly password: string;
}

/** Creates the `Authorization` header of a request. @param path with its query */
export type Authorize = (method: string, path: string) => string;

const HASHES: ReadonlyMap<string, string> = new Map([
  ['MD5', 'md5'],
  ['SHA-256', 'sha256'],
]);

const CHALLENGE = /(?:^|,)\s*(Basic|Digest)(?=\s)/gi;
const PARAMETER = /([a-z]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

/**
 * Answers the challenges of a 401 (RFC 9110, section 11.6.1): by Digest (RFC 7616) if the server offers it, since that does not show it
 * the password, else by Basic (RFC 7617).
 *
 * @returns `undefined` if the server offers neither
 */
export function authorizeFor(header: string, credentials: WebdavCredentials): Authorize | undefined {
  const challenges = challengesOf(header);
  const digests = challenges.filter(({ scheme }) => scheme === 'digest').map(({ parameters }) => parameters);
  // A server lists the algorithms by preference.
  const digest = digests.find((parameters) => hashOf(parameters) && isSupported(parameters.get('qop')));
  if (digest) return digestOf(digest, credentials);
  if (!challenges.some(({ scheme }) => scheme === 'basic')) return undefined;
  const basic = `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`;
  return () => basic;
}

type Parameters = ReadonlyMap<string, string>;

function challengesOf(header: string): readonly { readonly scheme: string; readonly parameters: Parameters }[] {
  const starts = [...header.matchAll(CHALLENGE)];
  return starts.map((start, index) => {
    const parameters = new Map<string, string>();
    const text = header.slice(start.index + start[0].length, starts[index + 1]?.index);
    for (const [, name = '', quoted, plain = ''] of text.matchAll(PARAMETER)) {
      parameters.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
    }
    return { scheme: start[1]!.toLowerCase(), parameters };
  });
}

function hashOf(parameters: Parameters): string | undefined {
  return HASHES.get((parameters.get('algorithm') ?? 'MD5').toUpperCase().replace(/-SESS$/, ''));
}

function isSupported(qop: string | undefined): boolean {
  return qop === undefined || qop.split(',').some((value) => value.trim() === 'auth');
}

function digestOf(parameters: Parameters, { user, password }: WebdavCredentials): Authorize {
  const algorithm = parameters.get('algorithm') ?? 'MD5';
  const hash = hashOf(parameters)!;
  const hashed = (...texts: readonly string[]): string => createHash(hash).update(texts.join(':')).digest('hex');
  const realm = parameters.get('realm') ?? '';
  const nonce = parameters.get('nonce') ?? '';
  const opaque = parameters.get('opaque');
  const hasQop = parameters.has('qop');
  const cnonce = randomBytes(16).toString('hex');
  const account = hashed(user, realm, password);
  const secret = /-sess$/i.test(algorithm) ? hashed(account, nonce, cnonce) : account;
  let count = 0;
  return (method, path) => {
    count += 1;
    const nc = count.toString(16).padStart(8, '0');
    const request = hashed(method, path);
    const response = hasQop ? hashed(secret, nonce, nc, cnonce, 'auth', request) : hashed(secret, nonce, request);
    const fields = [
      `username="${escaped(user)}"`,
      `realm="${escaped(realm)}"`,
      `nonce="${escaped(nonce)}"`,
      `uri="${path}"`,
      `algorithm=${algorithm}`,
      `response="${response}"`,
      ...(hasQop ? [`qop=auth`, `nc=${nc}`, `cnonce="${cnonce}"`] : []),
      ...(opaque === undefined ? [] : [`opaque="${escaped(opaque)}"`]),
    ];
    return `Digest ${fields.join(', ')}`;
  };
}

function escaped(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}
