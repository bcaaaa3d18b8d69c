import type { AgentParts } from '../agent/context/agent-parts.ts';
import type { RunWarning } from '../jobs/run-warning.ts';
import { warningText } from './commands/runs/warnings.ts';
import { countText, printable, shellWord } from './text.ts';

type OnDoubt = NonNullable<AgentParts['onDoubt']>;
type OnListed = NonNullable<AgentParts['onListed']>;
type Doubt = NonNullable<Parameters<OnDoubt>[1]>;

/** A warning that is known only once a command has read what it shows. */
export interface LateWarning {
  readonly json: RunWarning;
  readonly text: string;
}

/** What the destinations of a command cannot vouch for. The last reading of each counts, and each warns once. */
export class Doubts {
  readonly #warnings = new Map<string, LateWarning>();
  readonly #ofLists = new Map<string, readonly LateWarning[]>();

  readonly add: OnDoubt = ({ id, name, location, isSole }, doubt) => {
    if (!doubt) {
      this.#warnings.delete(id);
      return;
    }
    const option = isSole ? '' : ` --destination ${shellWord(name)}`;
    const todo = `See what is wrong with: holdfast check${option}; bring them back with: holdfast repair${option}`;
    const text = `${printable(location)}: newer or other restore points may exist${reasonOf(doubt)}. ${todo}`;
    this.#warnings.set(id, { json: { path: location, reason: 'newer_points_possible' }, text });
  };

  /** Adds what the list of a set at a destination may hide. */
  readonly addListed: OnListed = ({ id, name, isSole }, { deviceId, backupSet }, warnings) => {
    const place = isSole ? '' : `${printable(name)}: `;
    const late = warnings.map((warning) => ({ json: warning, text: `${place}${warningText(warning)}` }));
    this.#ofLists.set(JSON.stringify([id, deviceId, backupSet]), late);
  };

  get warnings(): readonly LateWarning[] {
    // What a destination has answered in all lists is in each.
    const ofLists = new Map([...this.#ofLists.values()].flat().map((warning) => [warning.text, warning]));
    return [...this.#warnings.values(), ...ofLists.values()];
  }
}

function reasonOf({ ledgerFiles, unnamedPoints, unreadPacks, isOlder }: Doubt): string {
  const reasons = [
    ...(ledgerFiles > 0
      ? [
          `${countText(ledgerFiles, 'part of its ledgers is', 'parts of its ledgers are')} damaged, missing or unreadable`,
        ]
      : []),
    ...(unnamedPoints > 0
      ? [`${countText(unnamedPoints, 'restore point is', 'restore points are')} there but not listed`]
      : []),
    ...(unreadPacks > 0 ? [`${countText(unreadPacks, 'other file')} there could not be looked into`] : []),
    ...(isOlder ? ['its newest key is missing, as in an older copy'] : []),
  ];
  return reasons.length === 0 ? '' : `: ${reasons.join(', and ')}`;
}
