import { release } from 'node:os';
import type { AgentTrouble } from '../../ipc/home-state.ts';
import type { AppState } from '../../ipc/state.ts';
import { userHome } from '../../base/files/user-home.ts';

/** Describes why the agent does not start, for a support request; leaves out the names of people's folders. */
export function agentProblemReport(
  { problem, lines }: AgentTrouble,
  { version, home }: Pick<AppState, 'version' | 'home'>,
): string {
  const own = userHome();
  const unnamed = (line: string): string => {
    const text = line.replaceAll(home, 'HOME');
    return own === undefined ? text : text.replaceAll(own, '~');
  };
  const system = `${process.platform} ${release()} ${process.arch}`;
  return `${JSON.stringify({ version, system, agent: problem, lines: lines.map(unnamed) }, undefined, 2)}\n`;
}
