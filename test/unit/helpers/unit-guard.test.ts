import { execFile, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { fetch } from 'undici';
import { expect, test } from 'vitest';

/** Whether the setup file was loaded before this file loads it. */
const isSetUp = globalThis.refusedInUnitTest !== undefined;
const { takeRefused } = await import('../../helpers/unit-guard.ts');

const PROCESS = /starts a process.* belong in test\/system/;
const SOCKET = /starts a socket/;

test.each<readonly [string, () => unknown, RegExp]>([
  ['spawn', () => spawn('true'), PROCESS],
  ['execFile', () => execFile('true'), PROCESS],
  ['fork', () => fork('no-file.js'), PROCESS],
  ['spawnSync', () => spawnSync('true'), PROCESS],
  ['execFileSync', () => execFileSync('true'), PROCESS],
  ['a worker', () => new Worker('', { eval: true }), /starts a thread/],
  ['a server', () => createServer().listen(0), SOCKET],
  ['a connection', () => connect(1, '127.0.0.1'), SOCKET],
  ['a datagram', () => createSocket('udp4').send('', 1, '127.0.0.1'), SOCKET],
  ['a request', () => get('http://127.0.0.1:1'), SOCKET],
])('%s is refused, and fails the test even if its error is caught', (_, start, sentence) => {
  expect(start).toThrow(sentence);
  expect(takeRefused()).toEqual([expect.stringMatching(sentence)]);
});

test('a look-up of a name is refused', () => {
  expect(() => lookup('localhost')).toThrow('starts a look-up of a name');
  expect(takeRefused()).toHaveLength(1);
});

test('a request of undici fails, and is noticed', async () => {
  await expect(fetch('http://127.0.0.1:49999')).rejects.toThrow('fetch failed');
  expect(takeRefused()).toEqual([expect.stringMatching(SOCKET)]);
});

test('every unit test has the guard', () => {
  expect(isSetUp).toBe(true);
});

test.fails('a test whose code catches the error fails', () => {
  expect(() => spawnSync('true')).toThrow(PROCESS);
});
