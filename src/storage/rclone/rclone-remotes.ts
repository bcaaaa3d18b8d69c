import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HoldfastError } from '../../base/errors/errors.ts';
import { checkVersion, type RcloneConfig } from './rclone-process.ts';

const LONGEST_MS = 30_000;

/** A remote of rclone's configuration. */
export interface RcloneRemote {
  readonly name: string;
  /** Such as `drive` or `s3`. */
  readonly type: string;
}

/**
 * Lists the remotes of rclone's configuration, in its order.
 *
 * @throws HoldfastError `usage` `rclone-missing` if there is no usable rclone, `rclone-unreadable` if it cannot list them
 */
export async function rcloneRemotes(config: Omit<RcloneConfig, 'remote'> = {}): Promise<readonly RcloneRemote[]> {
  const { program = 'rclone', configuration } = config;
  await checkVersion(program);
  const words = ['listremotes', '--long', '--ask-password=false'];
  if (configuration !== undefined) words.push('--config', configuration);
  try {
    const { stdout } = await promisify(execFile)(program, words, { windowsHide: true, timeout: LONGEST_MS });
    return remotesIn(stdout);
  } catch (error) {
    throw new HoldfastError('usage', { problem: 'rclone-unreadable', program }, { cause: error });
  }
}

/** Parses lines of `NAME: TYPE`, with blanks between for columns. */
function remotesIn(text: string): readonly RcloneRemote[] {
  return text.split('\n').flatMap((line) => {
    const [, name, type = ''] = /^(.+?):\s*(\S*)\s*$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, type }];
  });
}
