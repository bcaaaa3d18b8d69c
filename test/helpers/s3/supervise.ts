import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RadosGateway } from './rados-gateway.ts';

/**
 * `node supervise.ts DIR PID`: runs an object store in DIR for as long as the process PID runs. DIR/ready.json contains
 * its address, or DIR/failed the reason of a failure. The process that started it may end long before.
 */
const [folder = '', watched = ''] = process.argv.slice(2);
const LOOKS_EVERY = 1_000;

mkdirSync(folder, { recursive: true });
const gateway = new RadosGateway(join(folder, 'store'));
try {
  writeResult('ready.json', JSON.stringify(await gateway.start()));
} catch (error) {
  writeResult('failed', error instanceof Error ? error.message : String(error));
}
const timer = setInterval(() => {
  if (!isRunning(Number(watched)) || !existsSync(folder)) end();
}, LOOKS_EVERY);
process.once('SIGTERM', end);

function end(): void {
  clearInterval(timer);
  void gateway.stop().finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** Writes a file that is complete when it appears under its name. */
function writeResult(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

/** A process that has ended keeps its id until its parent has waited for it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
