import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useCall } from '../../../bridge/use-call.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { Facts } from '../shared/facts.tsx';

/** The account at each service that backups go to; nothing without a service. */
export function AccountPart(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.account;
  const destinations = useAppState((state) => state.destinations) ?? [];
  const services = destinations.filter(({ kind }) => kind === 'service');
  return (
    <>
      {services.map((service) => (
        <Panel
          key={service.id}
          title={services.length === 1 ? words.account : strings.common.of(words.account, service.name)}
        >
          <ServiceAccount service={service} />
        </Panel>
      ))}
    </>
  );
}

function ServiceAccount({ service: { id, location: url } }: { readonly service: ConfiguredDestination }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.account;
  const answer = useCall('account.show', { destination: id });
  const device = useAppState((state) => state.device);
  return (
    <Loaded resource={answer}>
      {({ email, signsInBy }) => (
        <Facts
          facts={[
            ...(email === undefined ? [] : [[words.email, email] as const]),
            [words.service, URL.parse(url)?.host ?? url],
            ...(device === undefined ? [] : [[words.computer, device.name] as const]),
            [words.signsIn, words.signsInBy[signsInBy]],
          ]}
        />
      )}
    </Loaded>
  );
}
