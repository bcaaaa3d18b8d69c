export interface Library {
  readonly name: string;
  /** An SPDX expression. */
  readonly licence: string;
}

/** Libraries that Holdfast contains. test/renderer/settings.test.ts compares the list with what is installed. */
export const LIBRARIES: readonly Library[] = [
  { name: '@aws-sdk/client-s3', licence: 'Apache-2.0' },
  { name: '@aws-sdk/s3-request-presigner', licence: 'Apache-2.0' },
  { name: '@fontsource-variable/inter', licence: 'OFL-1.1' },
  { name: '@hono/node-server', licence: 'MIT' },
  { name: '@internationalized/date', licence: 'Apache-2.0' },
  { name: '@napi-rs/keyring', licence: 'MIT' },
  { name: '@noble/ciphers', licence: 'MIT' },
  { name: '@noble/hashes', licence: 'MIT' },
  { name: '@scure/bip39', licence: 'MIT' },
  { name: 'better-sqlite3', licence: 'MIT' },
  { name: 'cborg', licence: 'Apache-2.0' },
  { name: 'chokidar', licence: 'MIT' },
  { name: 'chrono-node', licence: 'MIT' },
  { name: 'cli-progress', licence: 'MIT' },
  { name: 'commander', licence: 'MIT' },
  { name: 'croner', licence: 'MIT' },
  { name: 'electron', licence: 'MIT' },
  { name: 'env-paths', licence: 'MIT' },
  { name: 'hash-wasm', licence: 'MIT' },
  { name: 'hono', licence: 'MIT' },
  { name: 'ignore', licence: 'MIT' },
  { name: 'ipaddr.js', licence: 'MIT' },
  { name: 'jose', licence: 'MIT' },
  { name: 'koffi', licence: 'MIT' },
  { name: 'kysely', licence: 'MIT' },
  { name: 'minizlib', licence: 'MIT' },
  { name: 'openid-client', licence: 'MIT' },
  { name: 'otpauth', licence: 'MIT' },
  { name: 'p-limit', licence: 'MIT' },
  { name: 'pg', licence: 'MIT' },
  { name: 'pino', licence: 'MIT' },
  { name: 'qr', licence: 'MIT OR Apache-2.0' },
  { name: 'react', licence: 'MIT' },
  { name: 'react-aria-components', licence: 'Apache-2.0' },
  { name: 'react-dom', licence: 'MIT' },
  { name: 'ssh2', licence: 'MIT' },
  { name: 'string-width', licence: 'MIT' },
  { name: 'undici', licence: 'MIT' },
  { name: 'zod', licence: 'MIT' },
  { name: 'zustand', licence: 'MIT' },
];
