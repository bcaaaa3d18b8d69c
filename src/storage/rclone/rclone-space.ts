import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Space } from '../storage.ts';
import type { RcloneConfig } from './rclone-process.ts';
import { MINUTE } from '../../model/units.ts';

/** Milliseconds after which a remote that does not answer counts as one that does not say. */
const PATIENCE = MINUTE;

const bytes = z.int().nonnegative();
/** Each remote knows some of them. */
const about = z.object({ total: bytes.optional(), used: bytes.optional(), free: bytes.optional() });

/**
 * Asks rclone for the space of a remote. Its WebDAV server does not say, and has the same status for a full remote as for one that
 * cannot be written to.
 *
 * @returns `undefined` if the remote does not say
 */
export async function spaceOfRemote(config: RcloneConfig, signal?: AbortSignal): Promise<Space | undefined> {
  const configuration = config.configuration === undefined ? [] : ['--config', config.configuration];
  const words = ['about', '--json', ...configuration, '--', config.remote];
  try {
    const options = { windowsHide: true, timeout: PATIENCE, ...(signal && { signal }) };
    const { stdout } = await promisify(execFile)(config.program ?? 'rclone', words, options);
    const { total, used = 0, free } = about.parse(JSON.parse(stdout));
    return free === undefined ? undefined : { total: total ?? used + free, free };
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}
