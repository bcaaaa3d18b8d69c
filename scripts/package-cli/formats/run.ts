import { spawnSync } from 'node:child_process';

/** A tool that is missing here, so that a package cannot be built. */
export class MissingTool extends Error {}

/** @throws MissingTool, or Error with what the tool printed */
export function runTool(tool: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}): void {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC', XZ_OPT: '', XZ_DEFAULTS: '', TAR_OPTIONS: '', ...environment };
  const { status, error, stdout, stderr } = spawnSync(tool, words, { encoding: 'utf8', env });
  if (error && 'code' in error && error.code === 'ENOENT') throw new MissingTool(`${tool} is missing`);
  if (status !== 0) throw new Error(`${tool} ${words.join(' ')}: ${error?.message ?? `${stdout}${stderr}`}`);
}
