import { release, type } from 'node:os';
import { VERSION } from '../../base/version.ts';
import type { RegisterDeviceRequest } from '../../protocol/extensions.ts';

/** Reported by devices as `agent_version`. */
const AGENT_VERSION = `holdfast/${VERSION}`;

/** Shown to people in lists of sign-ins. */
export const USER_AGENT = `${AGENT_VERSION} (${type() === 'Darwin' ? 'macOS' : type().replace('_NT', '')})`;

/** Describes this computer for its registration as a device. */
export function thisDevice(name: string): RegisterDeviceRequest {
  return { name: name.slice(0, 200), os: `${type()} ${release()}`.slice(0, 200), agent_version: AGENT_VERSION };
}
