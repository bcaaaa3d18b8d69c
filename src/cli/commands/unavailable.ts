import { Option } from 'commander';

/** An option of a later version. A command that finds it set calls `refuseUnavailable`. */
export function unavailableOption(flags: string): Option {
  return new Option(flags).hideHelp();
}

/** @throws HoldfastError `usage`, always */
export async function refuseUnavailable(what: string): Promise<never> {
  const { wrongUsage } = await import('../../base/errors.ts');
  throw wrongUsage({ problem: 'unavailable', message: `${what} is not available in this version.` });
}
