import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Preloaded into a process: kills it right before or right after a file gets its name.
const [when, name] = (process.env['HOLDFAST_TEST_KILLED_AT'] ?? '').split(' ');

function reached(moment: 'before' | 'after', to: fs.PathLike): void {
  if (moment === when && String(to).split(/[\\/]/).at(-1) === name) process.kill(process.pid, 'SIGKILL');
}

const { renameSync } = fs;
const { rename, link } = fs.promises;
fs.renameSync = (from, to) => {
  reached('before', to);
  renameSync(from, to);
  reached('after', to);
};
fs.promises.rename = async (from, to) => {
  reached('before', to);
  await rename(from, to);
  reached('after', to);
};
fs.promises.link = async (from, to) => {
  reached('before', to);
  await link(from, to);
  reached('after', to);
};
syncBuiltinESMExports();
