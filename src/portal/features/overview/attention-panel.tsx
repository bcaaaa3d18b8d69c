import { useState } from 'react';
import type { ReactElement } from 'react';
import type { AttentionItem, PortalAttention } from '../../../protocol/portal/portal-devices.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { ReleaseDialog } from '../../shared/release-dialog.tsx';
import { useLanguage } from '../../strings/language.ts';
import { deviceAddress, sectionAddress } from '../../use-section.ts';
import { attentionText } from './attention-text.ts';

interface AttentionPanelProps {
  readonly attention: PortalAttention;
  /** Whether the person may end the hold on removals. */
  readonly mayManage: boolean;
  readonly onChanged: () => void;
}

type Alarm = Extract<AttentionItem, { kind: 'alarm' }>;

/** Everything that needs somebody, in one place; nothing if nothing does. */
export function AttentionPanel({ attention, mayManage, onChanged }: AttentionPanelProps): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.attention;
  const [releasing, setReleasing] = useState<Alarm>();
  const { items, more_devices: more } = attention;
  if (items.length === 0) return null;
  return (
    <Panel title={words.title}>
      <ul className="portal-attention">
        {items.map((item) => (
          <Item key={keyOf(item)} item={item} {...(mayManage ? { onRelease: setReleasing } : {})} />
        ))}
      </ul>
      {more > 0 && (
        <p>
          <a className="portal-leads" href={sectionAddress('devices')}>
            {words.moreDevices(more)}
          </a>
        </p>
      )}
      {releasing && (
        <ReleaseDialog
          deviceId={releasing.device_id}
          set={releasing.backup_set}
          onDone={() => {
            setReleasing(undefined);
            onChanged();
          }}
          onClose={() => setReleasing(undefined)}
        />
      )}
    </Panel>
  );
}

interface ItemProps {
  readonly item: AttentionItem;
  readonly onRelease?: (alarm: Alarm) => void;
}

function Item({ item, onRelease }: ItemProps): ReactElement {
  const language = useLanguage();
  const { strings } = language;
  const { tone, title, text, wayOut, command } = attentionText(item, language);
  return (
    <li data-tone={tone}>
      <Icon name={tone === 'bad' ? 'attention' : 'warning'} />
      <div className="portal-attention-text">
        <h3>{title}</h3>
        <p>{text}</p>
        <p className="ui-soft">
          {wayOut}
          {command !== undefined && (
            <>
              {' '}
              <code>{command}</code>
            </>
          )}
        </p>
      </div>
      {'device_id' in item && (
        <div className="portal-attention-actions">
          <a
            className="ui-button"
            data-kind="plain"
            href={deviceAddress(item.device_id)}
            aria-label={strings.attention.showOf(item.device_name)}
          >
            {strings.attention.show}
          </a>
          {item.kind === 'alarm' && onRelease && (
            <Button onPress={() => onRelease(item)}>{strings.retention.release}</Button>
          )}
        </div>
      )}
    </li>
  );
}

function keyOf(item: AttentionItem): string {
  return 'device_id' in item
    ? `${item.kind}/${item.device_id}${item.kind === 'alarm' ? `/${item.backup_set}/${item.raised}` : ''}`
    : item.kind === 'webhook'
      ? item.webhook_id
      : item.kind;
}
