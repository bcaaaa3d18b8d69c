import type { destinationMethods } from '../../../ipc/contract/destination.ts';
import type { DestinationChoice } from '../../../ipc/contract/setup.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import { locationOf } from '../../home/destination-location.ts';
import { requireSettings } from '../../home/settings.ts';
import { chosenStore } from '../../setup/chosen-store.ts';
import type { MovedDestination } from '../../setup/moved-destination.ts';
import type { SetupDestination } from '../../setup/join-request.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { OwnHandlers } from '../operation-handlers.ts';
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
): OwnHandlers<typeof destinationMethods> {
  const { agent, home, changed } = host;
  return {
    'destination.move': async ({ destination, choice }) => {
      await agent.at(destination).moveDestination(await movedPlace(choice, host));
      changed();
      return {};
    },
    'destination.begin': async ({ destination, choice }) => {
      await agent.at(destination).beginElsewhere(await destinationOf(choice));
      drop();
      changed();
      return {};
    },
    'destination.former': () => ({
      destinations: (requireSettings(home).former ?? []).map(({ name, destination, leftAt }) => ({
        name,
        kind: destination.kind,
        location: locationOf(destination),
        leftAt,
      })),
    }),
    'destinations.add': async ({ choice, ...more }) => {
      const { entry, isContinued } = await agent.addDestination({ destination: await destinationOf(choice), ...more });
      drop();
      changed();
      return { id: entry.id, name: entry.name, isContinued };
    },
  };
}

async function movedPlace(choice: DestinationChoice, { agent, home }: HandlerContext): Promise<MovedDestination> {
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
      return { kind: 'store', ...(await chosenStore(chosenStorePlace(choice), agent.parts)) };
    case 'service':
      return { kind: 'service', url: serviceAddress(choice.url) };
  }
}
