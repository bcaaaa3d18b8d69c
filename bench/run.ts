/**
 * `npm run bench`: Holdfast beside restic and Borg, on the same data in the same run; see docs/reports/performance.md.
 * `npm run bench -- --help` lists the options.
 */
import { parseRequest, USAGE, WrongUsage, type Request } from './arguments.ts';
import { CommandFailed } from './compare/measure.ts';
import { CannotStart, Workspace } from './compare/workspace.ts';
import { runComparisons } from './compare/comparisons.ts';
import { runProfiles } from './profile/profiles.ts';
import { NAMES } from './workloads/workloads.ts';

const words = process.argv.slice(2);
if (words.includes('--help')) console.log(usage());
else await start(words);

async function start(given: readonly string[]): Promise<void> {
  try {
    const request = parseRequest(given);
    const asked = stepsOf(request);
    const workspace = new Workspace(request.directory, request.keep);
    if (request.kind === 'profile') await runProfiles(request, asked, workspace);
    else await runComparisons(request, asked, workspace);
    process.exitCode = 0;
  } catch (error) {
    if (!(error instanceof WrongUsage || error instanceof CannotStart || error instanceof CommandFailed)) throw error;
    console.error(error instanceof WrongUsage ? `${error.message}\n\n${usage()}` : `\n${error.message}`);
    process.exitCode = error instanceof WrongUsage ? 2 : 1;
  }
}

function stepsOf({ workloads }: Request): ReadonlySet<string> {
  const unknown = workloads.filter((name) => NAMES[name] === undefined);
  if (unknown.length > 0) throw new WrongUsage(`There is no workload ${unknown.join(', ')}.`);
  const names = workloads.length > 0 ? workloads : Object.keys(NAMES);
  return new Set(names.flatMap((name) => NAMES[name] ?? []));
}

function usage(): string {
  return `${USAGE} ${Object.keys(NAMES).join(' ')}`;
}
