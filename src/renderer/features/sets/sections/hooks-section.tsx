import type { ReactElement } from 'react';
import type { Pings } from '../../../../model/set.ts';
import type { HookResults, PingResult } from '../../../../ipc/contract/hooks.ts';
import { agoWords } from '../../../../strings/state-sentence.ts';
import type { Language } from '../../../../strings/strings.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import type { Resource } from '../../../../ui/requests/use-resource.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import { HookCommands } from './hook-commands.tsx';
import type { StoredHooks } from './use-stored-hooks.ts';

interface HooksSectionProps {
  readonly draft: Draft;
  readonly hooks: Resource<StoredHooks>;
  readonly now: number;
}

/** The addresses that are told about backups, and the commands around them. Commands are saved apart, after a confirmation. */
export function HooksSection({ draft, hooks, now }: HooksSectionProps): ReactElement {
  const words = useLanguage().strings.sets.hooks;
  return (
    <div className="ui-stack set-switches">
      {draft.origin === undefined ? (
        <>
          <PingFields pings={draft.pings} results={{}} now={now} />
          <section className="ui-stack-tight">
            <h3>{words.commands}</h3>
            <p className="ui-soft">{words.later}</p>
          </section>
        </>
      ) : (
        <Stored set={draft.origin} draft={draft} hooks={hooks} now={now} />
      )}
    </div>
  );
}

interface StoredProps extends HooksSectionProps {
  readonly set: string;
}

/** The pings and commands of a saved set, with how the last ones ended. */
function Stored({ set, draft, hooks, now }: StoredProps): ReactElement {
  return (
    <Loaded resource={hooks}>
      {({ commands, results }) => (
        <>
          <PingFields pings={draft.pings} results={results} now={now} />
          <HookCommands set={set} saved={commands} results={results} now={now} onSaved={hooks.reload} />
        </>
      )}
    </Loaded>
  );
}

const KINDS = ['success', 'start', 'fail'] as const;

interface PingFieldsProps {
  readonly pings: Pings;
  readonly results: HookResults;
  readonly now: number;
}

function PingFields({ pings, results, now }: PingFieldsProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.sets.hooks;
  const base = pings.success?.trim().replace(/\/+$/, '') ?? '';
  const canFill = base !== '' && !pings.start?.trim() && !pings.fail?.trim();
  return (
    <section className="ui-stack-tight">
      <h3>{words.pings}</h3>
      <p className="ui-soft">{words.pingLead}</p>
      {KINDS.map((kind) => {
        const result = results[kind];
        return (
          <TextField
            key={kind}
            label={words[kind]}
            value={pings[kind] ?? ''}
            hint={result && pingWords(result, language, now)}
            maxLength={2048}
            spellCheck="false"
            isCode
            onChange={(address) => changeDraft({ pings: { ...pings, [kind]: address } })}
          />
        );
      })}
      {canFill && (
        <div className="ui-row">
          <Button
            onPress={() => changeDraft({ pings: { start: `${base}/start`, success: base, fail: `${base}/fail` } })}
          >
            {words.fill}
          </Button>
        </div>
      )}
    </section>
  );
}

function pingWords({ at, isDelivered, status }: PingResult, language: Language, now: number): string {
  const words = language.strings.sets.hooks;
  const ago = agoWords(at, language, now);
  if (isDelivered) return words.delivered(ago);
  return status === undefined ? words.unanswered(ago) : words.refused(ago, status);
}
