import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ReportSettings, ReportState } from '../../../../ipc/contract/report.ts';
import { Select } from '../../../../ui/choices/select.tsx';
import { Switch } from '../../../../ui/choices/switch.tsx';
import { FormDialog } from '../../../../ui/dialogs/form-dialog.tsx';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { TimeOfDayField } from '../../../../ui/fields/time-of-day-field.tsx';
import { call } from '../../../bridge/bridge.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { checkedDraft, draftOf, keepsPassword, PORTS, withSecurity } from './report-draft.ts';
import type { DraftProblem } from './report-draft.ts';
import { weekdayName } from './weekday-name.ts';

const WEEK = [1, 2, 3, 4, 5, 6, 0] as const;
const SECURITIES = ['tls', 'starttls'] as const;

interface ReportDialogProps {
  readonly stored: ReportState;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Sets the weekly report up, or changes it. */
export function ReportDialog({ stored, onSaved, onClose }: ReportDialogProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.report.form;
  const [draft, setDraft] = useState(() => draftOf(stored.settings));
  const [isTried, setTried] = useState(false);
  const checked = checkedDraft(draft, stored);
  const change = (part: Partial<typeof draft>): void => setDraft((now) => ({ ...now, ...part }));
  const errorOf = (field: DraftProblem, text: string): string | undefined =>
    isTried && 'problems' in checked && checked.problems.has(field) ? text : undefined;
  const save = async (settings: ReportSettings): Promise<void> => {
    const password = settings.user === '' ? '' : draft.password;
    await call('report.save', { settings, ...(password !== '' && { password }) });
    onSaved();
  };
  return (
    <FormDialog
      title={words.title}
      submit={words.save}
      work={() => {
        setTried(true);
        return 'settings' in checked ? save(checked.settings) : undefined;
      }}
      onClose={onClose}
    >
      <TextField
        label={words.to}
        name="to"
        value={draft.to}
        hint={words.toHint}
        maxLength={2600}
        spellCheck="false"
        takesFocus
        error={errorOf('to', words.toWrong)}
        onChange={(to) => change({ to })}
      />
      <div className="settings-pair">
        <Select
          label={words.day}
          value={String(draft.weekday)}
          options={WEEK.map((day) => ({ value: String(day), label: weekdayName(day, language) }))}
          onChange={(day) => change({ weekday: Number(day) })}
        />
        <TimeOfDayField label={words.time} value={draft.minute} onChange={(minute) => change({ minute })} />
      </div>
      <TextField
        label={words.host}
        name="host"
        value={draft.host}
        hint={words.hostHint}
        maxLength={253}
        spellCheck="false"
        error={errorOf('host', words.hostWrong)}
        onChange={(host) => change({ host })}
      />
      <div className="settings-pair">
        <Select
          label={words.security}
          value={draft.security}
          options={SECURITIES.map((value) => ({ value, label: words[value](PORTS[value]) }))}
          onChange={(security) => setDraft((now) => withSecurity(now, security))}
        />
        <NumberField
          label={words.port}
          value={draft.port}
          minimum={1}
          maximum={65_535}
          onChange={(port) => change({ port })}
        />
      </div>
      <TextField
        label={words.user}
        name="user"
        value={draft.user}
        maxLength={254}
        autoComplete="off"
        spellCheck="false"
        onChange={(user) => change({ user })}
      />
      {draft.user.trim() !== '' && (
        <TextField
          label={words.password}
          name="password"
          type="password"
          value={draft.password}
          hint={keepsPassword(draft, stored) ? words.passwordKept : words.passwordHint}
          maxLength={1024}
          autoComplete="off"
          error={errorOf('password', words.passwordMissing)}
          onChange={(password) => change({ password })}
        />
      )}
      <TextField
        label={words.from}
        name="from"
        value={draft.from}
        hint={words.fromHint}
        maxLength={254}
        spellCheck="false"
        error={errorOf('from', words.fromWrong)}
        onChange={(from) => change({ from })}
      />
      <Switch
        label={words.names}
        hint={words.namesHint}
        isSelected={draft.withNames}
        onChange={(withNames) => change({ withNames })}
      />
    </FormDialog>
  );
}
