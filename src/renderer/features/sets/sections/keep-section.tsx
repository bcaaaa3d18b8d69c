import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { RetentionForm } from '../../../../ipc/contract/sets.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { RadioCards } from '../../../../ui/choices/radio-cards.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { changeDraft } from '../draft/draft.ts';
import type { Draft } from '../draft/draft.ts';
import { RECOMMENDED_POLICY } from '../draft/recommended-policy.ts';
import { useStoredPolicyAt, type StoredPolicy } from './use-stored-policy.ts';
import { without } from './without.ts';
import { useStable } from '../../../bridge/deep-equality.ts';
import type { Resource } from '../../../../ui/requests/use-resource.ts';
import { Loaded } from '../../../../ui/requests/loaded.tsx';

/** Milliseconds without a change before the preview is requested. */
const QUIET = 400;
/** Restore points to list. */
const NAMED = 40;
const STEPS = ['hourly', 'daily', 'weekly', 'monthly', 'yearly'] as const;

const ALL = 'all';

interface KeepSectionProps {
  readonly draft: Draft;
  readonly stored: Resource<StoredPolicy>;
}

/** The retention policy of the set, with a preview of its effect; if there are several destinations, for all or for one. */
export function KeepSection({ draft, stored }: KeepSectionProps): ReactElement {
  const words = useLanguage().strings.sets.keep;
  return (
    <div className="ui-stack">
      <p className="ui-soft">{words.lead}</p>
      {draft.origin === undefined ? (
        <>
          <Policy policy={draft.policy ?? {}} onChange={(policy) => changeDraft({ policy })} />
          <p className="ui-hint">{words.afterFirst}</p>
        </>
      ) : (
        <SavedPolicies set={draft.origin} draft={draft} stored={stored} />
      )}
    </div>
  );
}

interface SavedPoliciesProps extends KeepSectionProps {
  readonly set: string;
}

function SavedPolicies({ set, draft, stored }: SavedPoliciesProps): ReactElement {
  const words = useLanguage().strings.sets.keep;
  const destinations = useAppState((state) => state.destinations) ?? [];
  const [chosen, setChosen] = useState(ALL);
  const place = destinations.find(({ id }) => id === chosen);
  const hasSeveral = destinations.length > 1;
  return (
    <>
      {hasSeveral && (
        <Select
          label={words.appliesTo}
          hint={place ? words.appliesToOne : words.appliesToAll}
          options={[
            { value: ALL, label: words.allDestinations },
            ...destinations.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={place ? chosen : ALL}
          onChange={setChosen}
        />
      )}
      {(place ? [place] : destinations).every(({ kind }) => kind === 'service') && (
        <Notice tone="plain">{words.atService}</Notice>
      )}
      {place ? (
        <PolicyAt key={place.id} set={set} destination={place.id} policies={draft.policies} />
      ) : (
        <Loaded resource={stored}>
          {({ isSupported, differs }) => (
            <>
              {differs && <Notice tone="plain">{words.differs}</Notice>}
              {isSupported ? (
                <>
                  <Policy policy={draft.policy ?? {}} onChange={(policy) => changeDraft({ policy })} />
                  <Preview set={set} policy={draft.policy ?? {}} destination={undefined} />
                </>
              ) : (
                <p>{words.destinationKeepsAll}</p>
              )}
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

interface PolicyAtProps {
  readonly set: string;
  readonly destination: string;
  readonly policies: Draft['policies'];
}

/** The policy at one of several destinations. */
function PolicyAt({ set, destination, policies }: PolicyAtProps): ReactElement {
  const words = useLanguage().strings.sets.keep;
  const stored = useStoredPolicyAt(set, destination);
  const policy = policies[destination] ?? {};
  return (
    <Loaded resource={stored}>
      {(isSupported) =>
        isSupported ? (
          <>
            <Policy
              policy={policy}
              onChange={(next) => changeDraft({ policies: { ...policies, [destination]: next } })}
            />
            <Preview set={set} policy={policy} destination={destination} />
          </>
        ) : (
          <p>{words.destinationKeepsAll}</p>
        )
      }
    </Loaded>
  );
}

interface PolicyProps {
  readonly policy: RetentionForm;
  readonly onChange: (policy: RetentionForm) => void;
}

function Policy({ policy, onChange }: PolicyProps): ReactElement {
  const words = useLanguage().strings.sets.keep;
  const thinned = useRef<RetentionForm>(RECOMMENDED_POLICY);
  const isThin = Object.keys(policy).length > 0;
  const change = (key: keyof RetentionForm, value: number | undefined): void =>
    onChange(value === undefined || value === 0 ? without(policy, key) : { ...policy, [key]: value });
  return (
    <>
      <RadioCards
        label={words.choice}
        isLabelHidden
        isGrid
        value={isThin ? 'thin' : 'all'}
        cards={[
          { value: 'all', title: words.all, hint: words.allHint },
          { value: 'thin', title: words.thin, hint: words.thinHint },
        ]}
        onChange={(choice) => {
          if (choice === 'all') {
            if (isThin) thinned.current = policy;
            onChange({});
          } else if (!isThin) onChange(thinned.current);
        }}
      />
      {isThin && (
        <>
          <NumberField
            label={words.keepAllDays}
            unit={words.days}
            value={policy.keepAllDays ?? 0}
            minimum={0}
            maximum={3_650}
            onChange={(days) => change('keepAllDays', days)}
          />
          <fieldset className="set-steps">
            <legend className="ui-label">{words.thinned}</legend>
            {STEPS.map((step) => (
              <NumberField
                key={step}
                label={words[step]}
                value={policy[step] ?? 0}
                minimum={0}
                maximum={1_000}
                onChange={(count) => change(step, count)}
              />
            ))}
          </fieldset>
        </>
      )}
    </>
  );
}

interface PreviewProps {
  readonly set: string;
  readonly policy: RetentionForm;
  /** The first by default. */
  readonly destination: string | undefined;
}

function Preview({ set, policy, destination }: PreviewProps): ReactElement {
  const words = useLanguage().strings.sets.keep;
  const settled = useSettled(policy, QUIET);
  return (
    <section className="ui-well set-explained" aria-label={words.preview}>
      <h3>{words.preview}</h3>
      <PreviewAnswer key={JSON.stringify(settled)} set={set} policy={settled} destination={destination} />
    </section>
  );
}

function PreviewAnswer({ set, policy, destination }: PreviewProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.sets.keep;
  const answer = useCall('sets.retention.preview', { set, policy, destination });
  const [isOpen, setOpen] = useState(false);
  if (answer.kind === 'failed') return <FailureNotice failure={answer.failure} onRetry={answer.reload} />;
  if (answer.kind === 'waiting') return <p className="ui-soft">{words.previewing}</p>;
  const { kept, dropped, freedBytes, freedAt, keepsDeleted } = answer.value;
  if (dropped.length === 0)
    return (
      <p role="status" data-live-announcer>
        {words.nothing(kept)}
      </p>
    );
  return (
    <>
      <p role="status" data-live-announcer>
        <strong>{words.lets(dropped.length)}</strong> {words.keeps(kept)}{' '}
        {freedBytes !== undefined &&
          (freedAt === undefined
            ? words.frees(formats.bytes(freedBytes))
            : words.freesOn(formats.bytes(freedBytes), formats.day(freedAt)))}{' '}
        {keepsDeleted === true && freedBytes !== undefined && freedBytes > 0 && strings.home.space.versions}
      </p>
      {isOpen ? (
        <ul className="set-paths ui-small ui-number">
          {dropped.slice(0, NAMED).map(({ restorePoint, madeAt }) => (
            <li key={restorePoint}>{formats.dateTime(madeAt)}</li>
          ))}
          {dropped.length > NAMED && <li className="ui-soft">{words.more(dropped.length - NAMED)}</li>}
        </ul>
      ) : (
        <div>
          <Button kind="quiet" onPress={() => setOpen(true)}>
            {words.which}
          </Button>
        </div>
      )}
    </>
  );
}

/** Returns the value after it has not changed for `quiet` milliseconds. */
function useSettled<Value>(value: Value, quiet: number): Value {
  const [settled, setSettled] = useState(value);
  const stable = useStable(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(stable), quiet);
    return () => clearTimeout(timer);
  }, [stable, quiet]);
  return settled;
}
