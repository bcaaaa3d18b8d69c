/**
 * Takes the lock of the home in the first argument, prints that, and holds it until the process ends. Otherwise prints the
 * holder.
 */
import { HomeLock } from '../../../src/agent/home/home-lock.ts';
import { homeAt } from '../../../src/agent/home/home.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';

const [, , folder, command] = process.argv;
try {
  const lock = HomeLock.acquire(homeAt(folder!), command!, Date.now());
  console.log('held');
  // A lock that nothing refers to ends when its memory is collected.
  setInterval(() => void lock, 60_000);
} catch (error) {
  if (!(error instanceof HoldfastError)) throw error;
  console.log(JSON.stringify({ code: error.code, ...error.details }));
}
