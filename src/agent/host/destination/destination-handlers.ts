import type { destinationMethods } from '../../../ipc/contract/destination.ts';
import type { Handlers } from '../../../base/calls/contract.ts';
import type { DestinationChoice } from '../../../ipc/contract/setup.ts';
import { wrongUsage } from '../../../base/errors.ts';
import { locationOf } from '../../home/destination-location.ts';
import { requireSettings } from '../../home/settings.ts';
import { beginElsewhere, moveDestination, returnToFormer } from '../../operations/change-destination.ts';
import { chosenStore } from '../../setup/chosen-store.ts';
import type { MovedDestination } from '../../setup/moved-destination.ts';
import type { SetupDestination } from '../../setup/join-request.ts';
import type { HandlerContext } from '../handler-context.ts';
import { chosenFolder, chosenStorePlace, serviceAddress } from './destination-choice.ts';

/** The choice of a destination for new backups. */
export interface DestinationChoices {
  readonly destinationOf: (choice: DestinationChoice) => Promise<SetupDestination>;
  /** Ends the sign-in that was made for it. */
  readonly drop: () => void;
}

/** Handles the calls of Settings about the destination. */
export function destinationHandlers(
  host: HandlerContext,
  { destinationOf, drop }: DestinationChoices,
): Handlers<typeof destinationMethods> {
  const { agent, parts, home } = host;
  const changed = (): Record<string, never> => {
    host.scheduler.setsChanged();
    host.changed();
    return {};
  };
  return {
    'destination.move': async ({ destination }) => {
      await moveDestination(await movedPlace(destination, host), parts);
      return changed();
    },
    'destination.begin': async ({ destination }) => {
      await beginElsewhere(await destinationOf(destination), parts);
      drop();
      return changed();
    },
    'destination.host-key': () => agent.hostKeys(),
    'destination.accept-host-key': async ({ fingerprint }) => {
      await agent.acceptHostKey(fingerprint);
      return changed();
    },
    'destination.former': () => ({
      destinations: (requireSettings(home).former ?? []).map(({ destination, leftAt }) => ({
        kind: destination.kind,
        location: locationOf(destination),
        leftAt,
      })),
    }),
    'destination.return': async ({ leftAt }) => {
      await returnToFormer(leftAt, parts);
      return changed();
    },
  };
}

async function movedPlace(choice: DestinationChoice, { home, parts }: HandlerContext): Promise<MovedDestination> {
  switch (choice.kind) {
    case 'folder': {
      const { folder, use } = await chosenFolder(choice, home);
      if (use !== 'repository') throw wrongUsage({ problem: 'destination-other', directory: folder });
      return { kind: 'folder', directory: folder };
    }
    case 'bucket':
    case 'sftp':
    case 'webdav':
    case 'rclone':
      return { kind: 'store', ...(await chosenStore(chosenStorePlace(choice), parts)) };
    case 'service':
      return { kind: 'service', url: serviceAddress(choice.url) };
  }
}
