import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { BucketDraft, Draft } from '../page/draft.ts';
import { Unencrypted } from '../page/unencrypted.tsx';
import './destination-step.css';

interface DestinationFieldsProps {
  readonly draft: Draft;
  readonly choice: string | undefined;
  /** Marks empty fields, after the person has tried to continue. */
  readonly isChecked: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** Fields of a destination that is not one of the found disks. */
export function DestinationFields(props: DestinationFieldsProps): ReactElement {
  const { choice } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The list of destinations may be longer than the window.
    if (choice !== undefined && NEEDS_MORE.has(choice)) box.current?.scrollIntoView({ block: 'nearest' });
  }, [choice]);
  return (
    <div ref={box} className="first-destination-fields">
      <FieldsOf {...props} />
    </div>
  );
}

const NEEDS_MORE: ReadonlySet<string> = new Set(['folder', 'service', 'bucket']);

function FieldsOf(props: DestinationFieldsProps): ReactElement | null {
  switch (props.choice) {
    case 'folder':
      return <FolderField {...props} />;
    case 'service':
      return <ServiceField {...props} />;
    case 'bucket':
      return <BucketFields {...props} />;
    default:
      return null;
  }
}

function FolderField({ draft, isChecked, onChange }: DestinationFieldsProps): ReactElement {
  const words = useLanguage().strings.onboarding.destination;
  const action = useAction();
  const choose = (): void =>
    action.run(async () => {
      const { path } = await call('shell.choose-folder', {
        title: words.chooseFolder,
        ...(draft.folder === undefined ? {} : { from: draft.folder }),
      });
      if (path !== undefined) onChange({ folder: path });
    });
  return (
    <div className="ui-stack">
      {draft.folder !== undefined && (
        <p className="first-path">
          <Icon name="folder" />
          <span className="ui-hidden">{words.chosenFolder}: </span>
          <code>{draft.folder}</code>
        </p>
      )}
      <div>
        <Button isPending={action.isPending} onPress={choose}>
          {draft.folder === undefined ? words.chooseFolder : words.chooseOther}
        </Button>
      </div>
      {isChecked && draft.folder === undefined && (
        <p role="alert" className="ui-field-error">
          {words.folderMissing}
        </p>
      )}
      <FailureNotice failure={action.failure} />
    </div>
  );
}

function ServiceField({ draft, isChecked, onChange }: DestinationFieldsProps): ReactElement {
  const words = useLanguage().strings.onboarding.destination;
  return (
    <div className="ui-stack">
      <TextField
        label={words.serviceAddress}
        name="url"
        type="url"
        hint={words.serviceAddressHint}
        value={draft.url}
        error={isChecked && draft.url.trim() === '' ? words.missing : undefined}
        onChange={(url) => onChange({ url })}
      />
      <Unencrypted address={draft.url} />
    </div>
  );
}

function BucketFields({ draft, isChecked, onChange }: DestinationFieldsProps): ReactElement {
  const words = useLanguage().strings.onboarding.destination;
  const { bucket } = draft;
  const change = (part: Partial<BucketDraft>): void => onChange({ bucket: { ...bucket, ...part } });
  return (
    <div className="ui-stack first-fields-pairs">
      <TextField
        label={words.bucketAddress}
        name="bucket"
        hint={words.bucketAddressHint}
        value={bucket.address}
        error={isChecked && bucket.address.trim() === '' ? words.missing : undefined}
        onChange={(address) => change({ address })}
      />
      <TextField
        label={words.endpoint}
        name="endpoint"
        hint={words.endpointHint}
        value={bucket.endpoint}
        onChange={(endpoint) => change({ endpoint })}
      />
      <TextField
        label={words.accessKeyId}
        name="access-key"
        autoComplete="off"
        value={bucket.accessKeyId}
        error={isChecked && bucket.accessKeyId.trim() === '' ? words.missing : undefined}
        onChange={(accessKeyId) => change({ accessKeyId })}
      />
      <TextField
        label={words.secretAccessKey}
        name="secret-key"
        type="password"
        autoComplete="off"
        value={bucket.secretAccessKey}
        error={isChecked && bucket.secretAccessKey === '' ? words.missing : undefined}
        onChange={(secretAccessKey) => change({ secretAccessKey })}
      />
      <TextField label={words.region} name="region" value={bucket.region} onChange={(region) => change({ region })} />
    </div>
  );
}
