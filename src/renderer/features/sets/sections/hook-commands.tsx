import { useState } from 'react';
import type { ReactElement } from 'react';
import type { CommandResult, HookResults, HookText, HookTexts } from '../../../../ipc/contract/hooks.ts';
import { agoWords } from '../../../../strings/state-sentence.ts';
import type { Language } from '../../../../strings/strings.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { toast } from '../../../../ui/feedback/toast.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';

interface HookCommandsProps {
  readonly set: string;
  readonly saved: HookTexts;
  readonly results: HookResults;
  readonly now: number;
  readonly onSaved: () => void;
}

/** The commands before and after the backups of a set. The main process asks before it saves them. */
export function HookCommands({ set, saved, results, now, onSaved }: HookCommandsProps): ReactElement {
  const words = useLanguage().strings.sets.hooks;
  const [stored, setStored] = useState(saved);
  const [before, setBefore] = useState(saved.before?.line ?? '');
  const [after, setAfter] = useState(saved.after?.line ?? '');
  const saving = useAction();
  const isSame = before.trim() === (stored.before?.line ?? '') && after.trim() === (stored.after?.line ?? '');
  const save = (): void =>
    saving.run(async () => {
      const next = { before: changed(stored.before, before), after: changed(stored.after, after) };
      const commands = { ...(next.before && { before: next.before }), ...(next.after && { after: next.after }) };
      const { isSaved } = await call('shell.save-hooks', { set, commands });
      if (!isSaved) return;
      setStored(commands);
      onSaved();
      toast(words.saved);
    });
  return (
    <section className="ui-stack-tight">
      <h3>{words.commands}</h3>
      <p className="ui-soft">{words.lead}</p>
      <CommandField label={words.before} line={before} onChange={setBefore} result={results.before} now={now} />
      <CommandField label={words.after} line={after} onChange={setAfter} result={results.after} now={now} />
      <div className="ui-row">
        <Button isDisabled={isSame} isPending={saving.isPending} onPress={save}>
          {words.save}
        </Button>
      </div>
      <FailureNotice failure={saving.failure} />
    </section>
  );
}

/** Keeps the time-out, which only the command line sets. */
function changed(before: HookText | undefined, line: string): HookText | undefined {
  return line.trim() === '' ? undefined : { ...before, line: line.trim() };
}

interface CommandFieldProps {
  readonly label: string;
  readonly line: string;
  readonly onChange: (line: string) => void;
  readonly result: CommandResult | undefined;
  readonly now: number;
}

function CommandField({ label, line, onChange, result, now }: CommandFieldProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.sets.hooks;
  return (
    <>
      <TextField
        label={label}
        value={line}
        hint={result ? resultWords(result, language, now) : words.hint}
        maxLength={4096}
        spellCheck="false"
        isCode
        onChange={onChange}
      />
      {result && result.output.trim() !== '' && (
        <details>
          <summary>{words.wrote}</summary>
          <pre className="ui-well set-output">
            <code>{result.output.trim()}</code>
          </pre>
        </details>
      )}
    </>
  );
}

function resultWords({ startedAt, end, exitCode = 0 }: CommandResult, language: Language, now: number): string {
  const words = language.strings.sets.hooks;
  const ago = agoWords(startedAt, language, now);
  return end === 'exited' ? words.exited(ago, exitCode) : words[end](ago);
}
