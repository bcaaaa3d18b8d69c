import { release, type } from 'node:os';
import type { RegisterDeviceRequest } from '../../protocol/extensions.ts';

/** Reported by devices as `agent_version`. */
export const AGENT_VERSION = 'holdfast/0.1.0';

/** Shown to people in lists of sign-ins. */
export const USER_AGENT = `${AGENT_VERSION} (${type() === 'Darwin' ? 'macOS' : type().replace('_NT', '')})`;

/** Describes this computer for its registration as a device. */
export function thisDevice(name: string): RegisterDeviceRequest {
  return { name: name.slice(0, 200), os: `${type()} ${release()}`.slice(0, 200), agent_version: AGENT_VERSION };
}
