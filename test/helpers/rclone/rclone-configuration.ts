import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** True if this machine has the rclone that scripts/install-test-tools.sh installs. */
export const HAS_RCLONE = spawnSync('rclone', ['version'], { stdio: 'ignore' }).status === 0;

/** Writes a configuration of rclone into a folder, with one remote whose paths are those of this computer. */
export function rcloneConfiguration(folder: string): { readonly name: string; readonly configuration: string } {
  const configuration = join(folder, 'rclone.conf');
  writeFileSync(configuration, '[disk]\ntype = local\n');
  return { name: 'disk', configuration };
}
