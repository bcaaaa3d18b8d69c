import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Points {
  readonly points: readonly { readonly restore_point: string; readonly backup_id: string }[];
}

/** The answer of a set-up that takes over backups. */
export interface Joined {
  readonly outdated?: true;
  readonly device_id: string;
}

export interface Warned {
  readonly warnings?: readonly { readonly reason: string }[];
}

export interface Rotation {
  readonly recovery_phrase: string;
  readonly epoch: number;
  readonly devices: readonly { readonly name: string }[];
  readonly revoked: readonly { readonly name: string }[];
}

/** The restore points that a repair brought back, and those that it did not. */
export type Repaired = Readonly<
  Record<'recovered_points' | 'unproven_points', readonly { readonly device_id: string }[]>
>;

/** Names of all files below a folder. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile());
}
