import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { useUiTexts } from '../../../ui/texts.ts';
import { useLanguage } from '../../strings/language.ts';
import { each, type Outcome } from './act-on-each.ts';
import type { Named } from './use-selection.ts';
import './selection.css';

/** Names that are listed; of more there is the number. */
const LISTED = 20;

interface SeveralDialogProps {
  readonly title: string;
  readonly body: string;
  /** Label of the button that confirms. */
  readonly action: string;
  readonly rows: readonly Named[];
  readonly work: (row: Named) => Promise<unknown>;
  /** Called with what was done once the report was read. */
  readonly onDone: (outcome: Outcome) => void;
  readonly onClose: () => void;
}

/** Asks before something that concerns several rows, does it, and reports what failed and why. */
export function SeveralDialog(props: SeveralDialogProps): ReactElement {
  const { title, body, action, work, onDone, onClose } = props;
  const [rows] = useState(props.rows);
  const { strings, formats } = useLanguage();
  const words = strings.pages;
  const [tried, setTried] = useState<number>();
  const [outcome, setOutcome] = useState<Outcome>();
  if (outcome) {
    return (
      <ModalDialog title={title} onClose={() => onDone(outcome)}>
        <Report outcome={outcome} />
        <div className="ui-actions">
          <Button kind="primary" onPress={() => onDone(outcome)}>
            {strings.common.close}
          </Button>
        </div>
      </ModalDialog>
    );
  }
  return (
    <ModalDialog title={title} isDismissable={tried === undefined} onClose={onClose}>
      <p>{body}</p>
      <ul className="portal-several">
        {rows.slice(0, LISTED).map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
        {rows.length > LISTED && <li className="ui-soft">{words.andMore(rows.length - LISTED)}</li>}
      </ul>
      {tried !== undefined && (
        <output className="ui-soft" data-live-announcer>
          {words.progress(formats.number(tried), formats.number(rows.length))}
        </output>
      )}
      <div className="ui-actions">
        <Button isDisabled={tried !== undefined} onPress={onClose}>
          {strings.common.cancel}
        </Button>
        <Button
          kind="danger"
          isPending={tried !== undefined}
          onPress={() => {
            setTried(0);
            void each(rows, work, setTried).then(setOutcome);
          }}
        >
          {action}
        </Button>
      </div>
    </ModalDialog>
  );
}

function Report({ outcome: { done, failed, untried } }: { readonly outcome: Outcome }): ReactElement {
  const { strings } = useLanguage();
  const texts = useUiTexts();
  const words = strings.pages;
  const left = failed.length + untried.length;
  return (
    <>
      <Notice tone={left === 0 ? 'good' : 'bad'}>
        <p>{words.severalDone(done.length)}</p>
        {left > 0 && <p>{words.severalLeft(left)}</p>}
      </Notice>
      {left > 0 && (
        <ul className="portal-several">
          {failed.slice(0, LISTED).map(({ row, failure }) => (
            <li key={row.id}>{words.failedRow(row.name, texts.failure(failure))}</li>
          ))}
          {untried.slice(0, Math.max(0, LISTED - failed.length)).map(({ id, name }) => (
            <li key={id} className="ui-soft">
              {words.untriedRow(name)}
            </li>
          ))}
          {left > LISTED && <li className="ui-soft">{words.andMore(left - LISTED)}</li>}
        </ul>
      )}
    </>
  );
}
