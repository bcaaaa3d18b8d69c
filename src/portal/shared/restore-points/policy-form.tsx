import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { PortalBackupSet } from '../../../protocol/portal/portal.ts';
import { RETENTION_PERIODS } from '../../../protocol/retention.ts';
import type { RetentionAnswer, RetentionPolicy } from '../../../protocol/retention.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { CheckboxList } from '../../../ui/choices/checkbox-list.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { backups } from '../../api/calls.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useLanguage } from '../../strings/language.ts';

const FIELDS = ['keep_all_days', ...RETENTION_PERIODS] as const;
type Counts = Readonly<Record<(typeof FIELDS)[number], string>>;

/** Initial values of the form for a set without a policy. */
const USUAL: Counts = { keep_all_days: '2', hourly: '0', daily: '14', weekly: '8', monthly: '12', yearly: '0' };

const EVERYTHING = 'everything';

interface PolicyFormProps {
  readonly set: PortalBackupSet;
  readonly policy: RetentionPolicy | null;
  readonly onDone: () => void;
  readonly onBack: () => void;
}

/** The retention policy of a set, with a preview of what it removes and frees. */
export function PolicyForm({ set, policy, onDone, onBack }: PolicyFormProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.retention;
  const [counts, setCounts] = useState<Counts>(policy ? countsOf(policy) : USUAL);
  const [everything, setEverything] = useState<readonly string[]>(policy ? [] : [EVERYTHING]);
  const [preview, setPreview] = useState<RetentionAnswer>();
  const previewing = useAction();
  const saving = useAction();
  const keepsAll = everything.includes(EVERYTHING);
  const isEmpty = !keepsAll && FIELDS.every((field) => numberOf(counts[field]) === 0);
  const chosen = keepsAll ? null : policyOf(counts, policy);
  const place = { device_id: set.device_id, backup_set: set.name };
  const showPreview = (): void =>
    previewing.run(async () => {
      if (chosen) setPreview(await backups.retention({ action: 'preview', ...place, policy: chosen }));
    });
  return (
    <Form
      className="ui-stack"
      onSubmit={(event) => {
        event.preventDefault();
        saving.run(async () => {
          await backups.retention({ action: 'set', ...place, policy: chosen });
          onDone();
        });
      }}
    >
      <p className="ui-soft">{words.lead}</p>
      <CheckboxList
        label={words.stays}
        options={[{ value: EVERYTHING, label: words.keepEverything }]}
        value={everything}
        onChange={(value) => {
          setEverything(value);
          setPreview(undefined);
        }}
      />
      {!keepsAll && (
        <div className="portal-counts">
          {FIELDS.map((field) => (
            <TextField
              key={field}
              label={words.fields[field]}
              name={field}
              value={counts[field]}
              inputMode="numeric"
              maxLength={5}
              autoComplete="off"
              isRequired
              onChange={(value) => {
                setCounts({ ...counts, [field]: value.replace(/\D/g, '') });
                setPreview(undefined);
              }}
            />
          ))}
        </div>
      )}
      {isEmpty && (
        <Notice tone="warning">
          <p>{words.keepsNothing}</p>
        </Notice>
      )}
      {preview && <Preview preview={preview} />}
      <FailureNotice failure={previewing.failure ?? saving.failure} />
      <div className="ui-actions">
        <Button onPress={onBack}>{words.back}</Button>
        {!keepsAll && (
          <Button isPending={previewing.isPending} isDisabled={isEmpty} onPress={showPreview}>
            {words.preview}
          </Button>
        )}
        <Button kind="primary" type="submit" isPending={saving.isPending} isDisabled={isEmpty}>
          {strings.common.save}
        </Button>
      </div>
    </Form>
  );
}

function Preview({ preview }: { readonly preview: RetentionAnswer }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.retention;
  return (
    <Notice tone={preview.removed === 0 ? 'good' : 'warning'}>
      <p>{preview.removed === 0 ? words.previewNone : words.previewSome(preview.removed)}</p>
      {preview.frees.map(({ at, bytes }) => (
        <p key={at}>{words.freeing(formats.bytes(bytes), formats.day(at))}</p>
      ))}
    </Notice>
  );
}

function countsOf(policy: RetentionPolicy): Counts {
  return Object.fromEntries(FIELDS.map((field) => [field, String(policy[field])])) as Counts;
}

function numberOf(text: string): number {
  return text === '' ? 0 : Number(text);
}

/** Keeps the time zone of an existing policy; a new one gets that of the browser. */
function policyOf(counts: Counts, before: RetentionPolicy | null): RetentionPolicy {
  const numbers = Object.fromEntries(FIELDS.map((field) => [field, numberOf(counts[field])])) as Record<
    keyof Counts,
    number
  >;
  return { ...numbers, time_zone: before?.time_zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone };
}
