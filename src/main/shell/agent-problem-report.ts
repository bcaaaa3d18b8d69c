import { homedir, release } from 'node:os';
import type { AgentTrouble, AppState } from '../../ipc/state.ts';

/** What can be told of an agent that does not start, for whoever is asked for help: without the names of people's folders. */
export function troubleText(
  { problem, lines }: AgentTrouble,
  { version, home }: Pick<AppState, 'version' | 'home'>,
): string {
  const unnamed = (line: string): string => line.replaceAll(home, 'HOME').replaceAll(homedir(), '~');
  const system = `${process.platform} ${release()} ${process.arch}`;
  return `${JSON.stringify({ version, system, agent: problem, lines: lines.map(unnamed) }, undefined, 2)}\n`;
}
