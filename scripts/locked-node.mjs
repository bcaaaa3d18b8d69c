// @ts-check
/**
 * The Node that package-lock.json names, for what was started with another: the one of npm, which may be too old to read TypeScript. It is
 * found by the path of its package, never as node_modules/.bin/node: npm before 11.6 leaves that link out (npm/cli#4362). Plain JavaScript
 * that Node 18 runs. bin/node and bin/holdfast.cmd find the same program without any Node.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Signals that end a program. The terminal sends SIGINT to the whole group, and npm sends it once more. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Returns the path of the Node for a system, inside `node_modules`, or `undefined` if package.json has none for it.
 *
 * @param {string} root a checkout
 * @param {string} [platform] as Node names it
 * @param {string} [arch] as Node names it
 * @returns {string | undefined}
 */
export function lockedNode(root, platform = process.platform, arch = process.arch) {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const system = `${platform === 'win32' ? 'win' : platform}-${arch}`;
  const name = Object.keys(optionalDependencies).find((one) => one.startsWith('node-') && one.endsWith(`-${system}`));
  if (name === undefined) return undefined;
  return join(root, 'node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node');
}

/**
 * Returns variables with which a program finds the locked Node as `node`, too.
 *
 * @param {string} node
 * @param {NodeJS.ProcessEnv} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentFor(node, environment) {
  // Windows writes `Path`.
  const name = Object.keys(environment).find((one) => one.toUpperCase() === 'PATH') ?? 'PATH';
  const folder = dirname(node);
  const folders = (environment[name] ?? '').split(delimiter);
  return folders[0] === folder ? environment : { ...environment, [name]: [folder, ...folders].join(delimiter) };
}

/** Whether this process runs with the version of the locked Node that is installed. */
export function isLockedNode() {
  const node = lockedNode(ROOT);
  if (node === undefined || !existsSync(node)) return false;
  const { version } = JSON.parse(readFileSync(join(dirname(node), '../package.json'), 'utf8'));
  return process.version === `v${version}`;
}

/**
 * Runs the locked Node with the standard streams of this process, and ends this process as that one ends.
 *
 * @param {readonly string[]} words its arguments
 * @returns {Promise<never>}
 */
export async function handOver(words) {
  process.exit(await exitOf(words));
}

/**
 * Runs the locked Node likewise, and ends this process if that one fails.
 *
 * @param {readonly string[]} words its arguments
 * @returns {Promise<void>}
 */
export async function runLocked(words) {
  const code = await exitOf(words);
  if (code !== 0) process.exit(code);
}

/**
 * @param {readonly string[]} words
 * @returns {Promise<number>} the exit code, or 128 and the number of the signal that ended it
 */
async function exitOf(words) {
  const node = lockedNode(ROOT);
  if (node === undefined) return fail(`there is no Node for ${process.platform}-${process.arch} in package.json`);
  if (!existsSync(node)) return fail(`${node} is missing; run 'npm ci' in ${ROOT} first`);
  const child = spawn(node, words, { stdio: 'inherit', env: environmentFor(node, process.env) });
  const pass = SIGNALS.map((signal) => /** @type {const} */ ([signal, () => child.kill(signal)]));
  for (const [signal, listener] of pass) process.on(signal, listener);
  const [code, signal] = await new Promise((resolve) => {
    child.once('error', (error) => resolve(fail(`${node} cannot be started: ${error.message}`)));
    child.once('exit', (...end) => resolve(end));
  });
  for (const [name, listener] of pass) process.off(name, listener);
  return code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)];
}

/** @param {string} problem @returns {never} */
function fail(problem) {
  console.error(`holdfast: ${problem}`);
  process.exit(1);
}
