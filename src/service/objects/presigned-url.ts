import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds for which a presigned URL is valid, as the interface defines it. */
export const PRESIGNED_LIFETIME = 900;

/** Path of object storage below the service's base URL. */
export const OBJECTS_PATH = '/objects/v1';

/** Path of packs below the service's base URL. */
export const PACKS_PATH = '/objects/v1/packs';

/** The permission of a pack URL: to upload blobs to a backup session, or to download those of a restore session. */
export interface PackRequest {
  /** Whom the URL was given to: the id of a device, or of a user and the sign-in. */
  readonly bearer: PackBearer;
  readonly kind: 'backup' | 'restore';
  readonly sessionId: string;
  /** Unix seconds. */
  readonly expires: number;
}

export type PackBearer =
  | { readonly kind: 'device'; readonly sub: string; readonly account: string }
  | { readonly kind: 'user'; readonly sub: string; readonly account: string; readonly family: string };

export interface PresignedRequest {
  readonly method: 'PUT' | 'GET';
  readonly accountId: string;
  /** 64 hex digits. */
  readonly digest: string;
  /** Bytes of the blob. */
  readonly size: number;
  /** Bytes of the plaintext. */
  readonly plaintextSize: number;
  /** Unix seconds. */
  readonly expires: number;
  /** The id of the person or device whose share of the downloads it takes; only of `GET`. */
  readonly person?: string | undefined;
}

/** Signs URLs of blobs with HMAC-SHA256 over everything that they permit. */
export class UrlSigner {
  readonly #secret: Buffer;

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  sign(baseUrl: string, request: PresignedRequest): string {
    const { method, accountId, digest, size, plaintextSize, expires, person } = request;
    const whose = person === undefined ? '' : `&person=${person}`;
    const signature = this.#signatureOf(request).toString('base64url');
    const query = `method=${method}&size=${size}&plaintext=${plaintextSize}&expires=${expires}${whose}&signature=${signature}`;
    return `${baseUrl}${OBJECTS_PATH}/${accountId}/${digest}?${query}`;
  }

  /**
   * Returns what a URL permits; `undefined` if its signature is invalid or it has expired.
   *
   * @param now milliseconds since the epoch
   */
  verify(method: string, url: URL, now: number): PresignedRequest | undefined {
    const path = /^\/([A-Za-z0-9_-]+)\/([0-9a-f]{64})$/.exec(url.pathname.slice(OBJECTS_PATH.length));
    const size = wholeNumber(url.searchParams.get('size'));
    const plaintextSize = wholeNumber(url.searchParams.get('plaintext'));
    const expires = wholeNumber(url.searchParams.get('expires'));
    if (!path || size === undefined || plaintextSize === undefined || expires === undefined) return undefined;
    if (method !== 'PUT' && method !== 'GET') return undefined;
    if (url.searchParams.get('method') !== method) return undefined;
    const person = url.searchParams.get('person') ?? undefined;
    if ((method === 'GET') !== (person !== undefined)) return undefined;
    if (person !== undefined && !/^[A-Za-z0-9_-]{1,512}$/.test(person)) return undefined;
    const [, accountId = '', digest = ''] = path;
    const request: PresignedRequest = { method, accountId, digest, size, plaintextSize, expires, person };
    if (!isSignature(url.searchParams.get('signature'), this.#signatureOf(request))) return undefined;
    return expires * 1000 > now ? request : undefined;
  }

  signPack(baseUrl: string, request: PackRequest): string {
    const { kind, sessionId, bearer, expires } = request;
    const signature = this.#packSignatureOf(request).toString('base64url');
    const query = `bearer=${formatBearer(bearer)}&expires=${expires}&signature=${signature}`;
    return `${baseUrl}${PACKS_PATH}/${kind}/${sessionId}?${query}`;
  }

  /** Verifies the URL of a pack like `verify`. */
  verifyPack(url: URL, now: number): PackRequest | undefined {
    const path = /^\/(backup|restore)\/([A-Za-z0-9_-]+)$/.exec(url.pathname.slice(PACKS_PATH.length));
    const expires = wholeNumber(url.searchParams.get('expires'));
    const bearer = parseBearer(url.searchParams.get('bearer'));
    if (!path || expires === undefined || !bearer) return undefined;
    const request: PackRequest = { kind: path[1] as PackRequest['kind'], sessionId: path[2]!, bearer, expires };
    if (!isSignature(url.searchParams.get('signature'), this.#packSignatureOf(request))) return undefined;
    return expires * 1000 > now ? request : undefined;
  }

  #signatureOf({ method, accountId, digest, size, plaintextSize, expires, person }: PresignedRequest): Buffer {
    const parts = ['holdfast/v1/presigned', method, accountId, digest, size, plaintextSize, expires];
    return this.#sign(person === undefined ? parts : [...parts, person]);
  }

  #packSignatureOf({ kind, sessionId, bearer, expires }: PackRequest): Buffer {
    return this.#sign(['holdfast/v1/pack', kind, sessionId, formatBearer(bearer), expires]);
  }

  #sign(parts: readonly (string | number)[]): Buffer {
    return createHmac('sha256', this.#secret).update(parts.join('\n')).digest();
  }
}

/** Identifiers contain no dots. */
function formatBearer(bearer: PackBearer): string {
  const parts = [bearer.kind, bearer.account, bearer.sub];
  return (bearer.kind === 'user' ? [...parts, bearer.family] : parts).join('.');
}

function parseBearer(text: string | null): PackBearer | undefined {
  const [kind, account, sub, family, ...more] = (text ?? '').split('.');
  if (!account || !sub || more.length > 0) return undefined;
  if (kind === 'device' && family === undefined) return { kind, account, sub };
  return kind === 'user' && family ? { kind, account, sub, family } : undefined;
}

function isSignature(text: string | null, expected: Buffer): boolean {
  const signature = Buffer.from(text ?? '', 'base64url');
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
