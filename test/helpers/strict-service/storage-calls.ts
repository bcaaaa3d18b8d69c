import type { Answer, Call } from './call.ts';
import { timeOf } from './world.ts';
import type { World } from './world.ts';

/** Object storage: only the address authorises, and nothing else may identify the caller. */
export function put(world: World, call: Call): Answer {
  const address = world.uploadAddresses.get(call.parameter ?? '');
  if (!address) {
    world.departures.push(`${call.endpoint}: no such address`);
    return { status: 403 };
  }
  if (timeOf(world) >= address.expiresAt) return { status: 403, text: '<Error><Code>AccessDenied</Code></Error>' };
  if (address.used && !world.wireMayBreak) world.departures.push(`${call.endpoint}: an address was used twice`);
  const { 'content-type': type, 'content-length': length } = call.headers;
  if (type !== 'application/octet-stream') world.departures.push(`${call.endpoint}: Content-Type ${type}`);
  if (length !== String(address.size))
    world.departures.push(`${call.endpoint}: Content-Length ${length} for ${address.size}`);
  if (call.bytes.length !== address.size) {
    world.departures.push(`${call.endpoint}: ${call.bytes.length} bytes came where ${address.size} were presigned`);
    return { status: 400 };
  }
  world.blobs.set(address.hash, call.bytes);
  if (call.fault?.kind !== 'reset-after') {
    address.used = true;
    for (const session of world.backups.values()) {
      if (session.needed.has(address.hash)) session.acknowledged.add(address.hash);
    }
  }
  return { status: 200 };
}

export function get(world: World, call: Call): Answer {
  const address = world.downloadAddresses.get(call.parameter ?? '');
  if (!address) {
    world.departures.push(`${call.endpoint}: no such address`);
    return { status: 403 };
  }
  if (timeOf(world) >= address.expiresAt) return { status: 403 };
  const blob = world.blobs.get(address.hash);
  return blob ? { status: 200, bytes: blob } : { status: 404 };
}
