import type { ReactElement } from 'react';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useCall } from '../../../bridge/use-call.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { Facts } from '../shared/facts.tsx';

/** The account at the service, if backups go to one. */
export function AccountPart(): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.account;
  const destination = useAppState((state) => state.destination);
  const isElsewhere = useAppState(({ destinations }) => destinations.some(({ kind }) => kind === 'service')) === true;
  // The account is shown for the preferred destination only.
  if (!destination || (isElsewhere && destination.kind !== 'service')) return null;
  return (
    <Panel title={words.account}>
      {destination.kind === 'service' ? (
        <ServiceAccount url={destination.location} />
      ) : (
        <p className="ui-soft settings-text">{words.noAccount}</p>
      )}
    </Panel>
  );
}

function ServiceAccount({ url }: { readonly url: string }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.account;
  const answer = useCall('account.show', {});
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
