import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalWebhook, WebhookSecret } from '../../../protocol/portal/portal.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { webhooks } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Confirmation } from '../../shared/confirmation.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { ShownOnce } from '../../shared/shown-once.tsx';
import { useLanguage } from '../../strings/language.ts';
import { Deliveries } from './deliveries.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { RowActions } from '../../../ui/tables/row-actions.tsx';

type Open =
  | { readonly kind: 'add' }
  | { readonly kind: 'secret'; readonly secret: WebhookSecret; readonly rotated: boolean }
  | { readonly kind: 'deliveries' | 'edit' | 'remove' | 'rotate' | 'enable'; readonly webhook: PortalWebhook };

export function WebhooksPage(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.webhooks;
  const list = useResource(webhooks.list);
  const [open, setOpen] = useState<Open>();
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <Button kind="primary" onPress={() => setOpen({ kind: 'add' })}>
          {words.add}
        </Button>
      }
    >
      <Panel title={words.title} isTitleHidden>
        <Loaded resource={list}>
          {({ webhooks: all }) =>
            all.length === 0 ? (
              <Empty icon="webhooks" title={words.none}>
                {words.noneHint}
              </Empty>
            ) : (
              <WebhookTable all={all} onOpen={setOpen} />
            )
          }
        </Loaded>
      </Panel>
      {open && <Opened open={open} onOpen={setOpen} onChanged={list.reload} />}
    </Page>
  );
}

interface OpenedProps {
  readonly open: Open;
  readonly onOpen: (open: Open | undefined) => void;
  readonly onChanged: () => void;
}

function Opened({ open, onOpen, onChanged }: OpenedProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.webhooks;
  const close = (): void => onOpen(undefined);
  const done = (): void => {
    onChanged();
    close();
  };
  switch (open.kind) {
    case 'add':
      return (
        <WebhookDialog
          title={words.add}
          submit={words.add}
          work={async (url, events) => {
            const secret = await webhooks.create(url, events);
            onChanged();
            onOpen({ kind: 'secret', secret, rotated: false });
          }}
          onClose={close}
        />
      );
    case 'edit':
      return (
        <WebhookDialog
          title={words.editOf(open.webhook.url)}
          submit={strings.common.save}
          webhook={open.webhook}
          work={async (url, events) => {
            await webhooks.change(open.webhook.id, url, events);
            onChanged();
            close();
          }}
          onClose={close}
        />
      );
    case 'secret':
      return (
        <ShownOnce
          title={words.secretTitle}
          body={open.rotated ? `${words.secretBody} ${words.rotated}` : words.secretBody}
          value={open.secret.signing_secret}
          onClose={close}
        />
      );
    case 'deliveries':
      return <Deliveries webhook={open.webhook} onClose={close} />;
    case 'rotate':
      return (
        <Confirmation
          title={words.secretOf(open.webhook.url)}
          body={words.rotated}
          action={words.newSecret}
          isDangerous={false}
          work={async () => {
            const secret = await webhooks.rotate(open.webhook.id);
            onOpen({ kind: 'secret', secret, rotated: true });
          }}
          onDone={onChanged}
          onClose={close}
        />
      );
    case 'enable':
      return (
        <Confirmation
          title={words.enableOf(open.webhook.url)}
          body={words.enableBody}
          action={words.enable}
          isDangerous={false}
          work={() => webhooks.setEnabled(open.webhook.id, true)}
          onDone={done}
          onClose={close}
        />
      );
    case 'remove':
      return (
        <Confirmation
          title={words.removeTitle}
          body={words.removeBody}
          action={words.remove}
          work={() => webhooks.remove(open.webhook.id)}
          onDone={done}
          onClose={close}
        />
      );
  }
}

interface WebhookTableProps {
  readonly all: readonly PortalWebhook[];
  readonly onOpen: (open: Open) => void;
}

function WebhookTable({ all, onOpen }: WebhookTableProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.webhooks;
  return (
    <DataTable
      caption={words.title}
      rows={all}
      keyOf={({ id }) => id}
      columns={[
        { id: 'url', label: words.url, cell: ({ url }) => <code>{url}</code> },
        {
          id: 'events',
          label: words.events,
          cell: ({ events }) => (events.length === 0 ? words.everyEvent : words.countOfEvents(events.length)),
        },
        {
          id: 'state',
          label: words.state,
          cell: ({ disabled, failing_since: failing }) =>
            disabled !== null ? (
              <Badge tone="warning">{words.disabled}</Badge>
            ) : failing !== null ? (
              <Badge tone="bad">{words.failing}</Badge>
            ) : (
              <Badge tone="good">{words.active}</Badge>
            ),
        },
        { id: 'created', label: words.created, cell: ({ created }) => formats.day(created) },
        actionsColumn(strings.common.actions, (webhook: PortalWebhook) => (
          <RowActions
            actions={[
              {
                text: words.deliveries,
                label: words.deliveriesOf(webhook.url),
                onPress: () => onOpen({ kind: 'deliveries', webhook }),
              },
              { text: words.edit, label: words.editOf(webhook.url), onPress: () => onOpen({ kind: 'edit', webhook }) },
              ...(webhook.disabled !== null
                ? [
                    {
                      text: words.enable,
                      label: words.enableOf(webhook.url),
                      onPress: () => onOpen({ kind: 'enable', webhook }),
                    },
                  ]
                : []),
              {
                text: words.newSecret,
                label: words.secretOf(webhook.url),
                onPress: () => onOpen({ kind: 'rotate', webhook }),
              },
              {
                text: words.remove,
                label: words.removeOf(webhook.url),
                onPress: () => onOpen({ kind: 'remove', webhook }),
              },
            ]}
          />
        )),
      ]}
    />
  );
}
