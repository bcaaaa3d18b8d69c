import { spawnSync } from 'node:child_process';

/** Limits the check; a download may take longer. */
const PROBE_MS = 3_000;

/** Any status will do: a folder of downloads is no page. */
const PROBE = `fetch(process.argv[1], { method: 'HEAD', signal: AbortSignal.timeout(${PROBE_MS}) }).then(() => process.exit(0), () => process.exit(1))`;

/** Returns whether the server of an address answers, through the proxy that the environment names. */
export function canBeReached(address: string, environment: NodeJS.ProcessEnv = process.env): boolean {
  const words = ['--input-type=commonjs', '-e', PROBE, address];
  return spawnSync(process.execPath, words, { stdio: 'ignore', env: withProxy(environment) }).status === 0;
}

/**
 * Returns variables with which a process of Node, and what it starts, honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and the certificates of the
 * system, among which is that of a proxy that looks into connections. Node reads them only when it starts.
 */
export function withProxy(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { NODE_USE_SYSTEM_CA: '1', ...environment, NODE_USE_ENV_PROXY: '1' };
}
