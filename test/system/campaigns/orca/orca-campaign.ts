import { Stage } from './stage.ts';
import { files } from './walks/files.ts';
import { firstDays } from './walks/first-days.ts';
import { german } from './walks/german.ts';
import { portal } from './walks/portal.ts';

const WALKS = { 'first-days': firstDays, files, german, portal } as const;

interface OrcaOptions {
  /** The walks whose names contain this. */
  readonly only: string;
  /** Gets each key with what Orca says then. */
  readonly onHeard: (line: string) => void;
}

/**
 * Has Orca read the window, and the portal in a browser, to a person who presses keys and sees nothing.
 *
 * @returns what was wrong: a control without a name, a text that is missing or said twice
 * @throws Error if the person does not find a control
 */
export async function runOrcaCampaign({ only, onHeard }: OrcaOptions): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [name, walk] of Object.entries(WALKS)) {
    if (!name.includes(only)) continue;
    await using stage = await Stage.open(onHeard, name === 'german' ? 'de' : 'en');
    await walk(stage);
    faults.push(...stage.walk.faults);
  }
  return faults;
}
