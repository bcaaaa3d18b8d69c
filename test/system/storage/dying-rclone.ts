import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Forwards to a real rclone, and ends once, after a file has been moved and before the answer is sent. The last step of a new file is such a move. */
const FORWARDER = `
const { spawn } = require('node:child_process');
const { createServer, request } = require('node:http');
const { existsSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
const child = spawn('rclone', words, { stdio: ['ignore', 'inherit', 'pipe'] });
child.on('exit', (code) => process.exit(code ?? 1));
process.on('exit', () => child.kill('SIGKILL'));
process.on('SIGTERM', () => process.exit(0));
let said = '';
let port;
child.stderr.on('data', (text) => {
  said += text;
  port ??= /127\\.0\\.0\\.1:(\\d+)/.exec(said)?.[1];
  if (port && !server.listening) server.listen(0, '127.0.0.1');
});
const server = createServer((asked, answer) => {
  const forwarded = request({ host: '127.0.0.1', port, method: asked.method, path: asked.url, headers: asked.headers }, (reply) => {
    if (asked.method === 'MOVE' && reply.statusCode < 300 && !existsSync(MARK)) {
      writeFileSync(MARK, '');
      process.exit(1);
    }
    answer.writeHead(reply.statusCode, reply.headers);
    reply.pipe(answer);
  });
  asked.pipe(forwarded);
});
server.on('listening', () => process.stderr.write('Server started on http://127.0.0.1:' + server.address().port + '/\\n'));
`;

/** Returns a program to start in place of rclone. @param folder gets the program */
export function dyingRclone(folder: string): string {
  const program = join(folder, 'rclone');
  const script = join(folder, 'forwarder.cjs');
  writeFileSync(script, `const MARK = ${JSON.stringify(join(folder, 'ended'))};${FORWARDER}`);
  const start = `[ "$1" = version ] && exec rclone version\nexec '${process.execPath}' '${script}' "$@"\n`;
  writeFileSync(program, `#!/bin/sh\n${start}`, { mode: 0o755 });
  return program;
}
