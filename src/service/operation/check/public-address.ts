import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { isLoopback } from '../../request/client-address.ts';
import { checkUploads } from './uploads.ts';
import { failed, inTime, ok, reasonOf, warning } from './finding.ts';
import type { Finding } from './finding.ts';
import { DAY } from '../../../model/units.ts';

const PATIENCE = 10_000;

/** Milliseconds that a service which has just been started may take until it answers. */
const STARTING = 10_000;

/** Pause between questions, in milliseconds. */
const PAUSE = 250;

/** What proxies answer for a service that does not. */
const GATEWAY_STATUSES = new Set([502, 503, 504]);

/** Days before expiry at which a certificate should have been renewed. */
const RENEWED_BEFORE = 14;

export interface AddressFacts {
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: string;
  readonly trustsProxies: boolean;
  /** True if the service is not meant to run yet, so that nobody can answer at the public address. */
  readonly beforeStart?: boolean;
  /** Milliseconds to wait for a service that a proxy cannot reach yet. */
  readonly startingFor?: number;
}

export interface AddressCheck {
  readonly findings: readonly Finding[];
  /** Lead of the responding clock over ours, in milliseconds. */
  readonly skew?: number;
}

/** Checks the public address: TLS, the identity of the service, and proxies in between. */
export async function checkAddress(facts: AddressFacts): Promise<AddressCheck> {
  const { host, port, publicUrl, trustsProxies, beforeStart = false, startingFor = STARTING } = facts;
  const isLocal = host === 'localhost' || isLoopback(host);
  if (publicUrl === undefined) return { findings: [withoutPublicUrl(host, port, isLocal, trustsProxies)] };
  const url = new URL(publicUrl);
  const findings: Finding[] = [];
  const reached = beforeStart ? notAsked(url) : await askAt(url, startingFor);
  findings.push(reached.finding);
  if (url.protocol === 'https:') findings.push(await certificateFinding(url, beforeStart));
  else if (isLocalName(url)) findings.push(ok('tls', `${url.origin} is this computer: no TLS is needed.`));
  else
    findings.push(failed('tls', `${url.origin} is without TLS: passwords and device keys could be read on the way.`));
  if (!isLocalName(url)) findings.push(proxyFinding(host, isLocal, trustsProxies));
  if (!beforeStart && reached.finding.status === 'ok') findings.push(...(await checkUploads(url, trustsProxies)));
  return { findings, ...(reached.skew === undefined ? {} : { skew: reached.skew }) };
}

function withoutPublicUrl(host: string, port: number, isLocal: boolean, trustsProxies: boolean): Finding {
  if (trustsProxies) {
    return warning(
      'address',
      'A proxy is trusted, and publicUrl is not set: without it the page’s cookie is not Secure, and addresses to upload to begin with http.',
    );
  }
  if (isLocal)
    return ok('address', `Only this computer is served, at ${host}:${port}; behind a proxy with TLS set publicUrl.`);
  return warning('tls', `${host}:${port} serves others without TLS: put a proxy in front, and set publicUrl.`);
}

function proxyFinding(host: string, isLocal: boolean, trustsProxies: boolean): Finding {
  if (!trustsProxies) {
    return warning('proxy', 'All clients seem to have the proxy’s address, and share its limits: set trustedProxies.');
  }
  if (isLocal) return ok('proxy', 'The proxy tells who its clients are, and nobody gets past it.');
  return warning(
    'proxy',
    `Others may get past the proxy: let only it reach ${host} (a firewall, or a network of their own).`,
  );
}

interface Reached {
  readonly finding: Finding;
  readonly skew?: number;
}

function notAsked(url: URL): Reached {
  return { finding: ok('address', `${url.origin} is asked by a check without --before-start, once the service runs.`) };
}

async function askAt(url: URL, startingFor: number): Promise<Reached> {
  const address = `${url.href.replace(/\/+$/, '')}/healthz`;
  try {
    const until = performance.now() + startingFor;
    let { before, answer, body } = await ask(address);
    while (GATEWAY_STATUSES.has(answer.status) && performance.now() < until) {
      await sleep(PAUSE);
      ({ before, answer, body } = await ask(address));
    }
    const date = Date.parse(answer.headers.get('date') ?? '');
    const skew = Number.isNaN(date) ? {} : { skew: date + 500 - (before + Date.now()) / 2 };
    const isOurs = answer.status === 200 && answer.headers.has('x-request-id') && isHealthy(body);
    const finding = isOurs
      ? ok('address', `${url.origin} is answered by a Holdfast service.`)
      : failed('address', `${address} is answered with ${answer.status}, and not by Holdfast: look at the proxy.`);
    return { finding, ...skew };
  } catch (error) {
    const reason = reasonOf(error);
    if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(reason)) {
      return { finding: failed('address', `${url.origin} has no certificate that devices would take (${reason}).`) };
    }
    return {
      finding: warning('address', `${url.origin} does not answer (${reason}): check again when the service runs.`),
    };
  }
}

async function ask(address: string) {
  const before = Date.now();
  const answer = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) });
  const body: unknown = await answer.json().catch(() => undefined);
  return { before, answer, body };
}

/** Before the start an expired certificate is a warning: the service itself runs, and the proxy renews the certificate beside it. */
async function certificateFinding(url: URL, beforeStart: boolean): Promise<Finding> {
  try {
    const end = await inTime(certificateEnd(url), PATIENCE);
    const days = Math.floor((end - Date.now()) / DAY);
    if (days < 0) return (beforeStart ? warning : failed)('tls', `The certificate of ${url.host} has expired.`);
    if (days < RENEWED_BEFORE) return warning('tls', `The certificate of ${url.host} expires in ${days} days.`);
    return ok('tls', `The certificate of ${url.host} is good for ${days} days.`);
  } catch (error) {
    return warning('tls', `The certificate of ${url.host} could not be seen (${reasonOf(error)}).`);
  }
}

function certificateEnd(url: URL): Promise<number> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    // Trust was checked before; this only reads the certificate.
    const target = { host, port: Number(url.port || 443), ...(isIP(host) === 0 ? { servername: host } : {}) };
    const socket = connect({ ...target, rejectUnauthorized: false }, () => {
      const { valid_to: end } = socket.getPeerCertificate();
      socket.destroy();
      resolve(Date.parse(end));
    });
    socket.setTimeout(PATIENCE, () => socket.destroy(Object.assign(new Error('no answer'), { code: 'TIMEOUT' })));
    socket.on('error', reject);
  });
}

function isHealthy(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok';
}

function isLocalName({ hostname }: URL): boolean {
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}
