import type { destinationMethods } from '../../../ipc/contract/destination.ts';
import type { Handlers } from '../../../base/calls/contract.ts';
import type { DestinationChoice } from '../../../ipc/contract/setup.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import { locationOf } from '../../home/destination-location.ts';
import { requireSettings } from '../../home/settings.ts';
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
  const { agent, home } = host;
  const changed = (): Record<string, never> => {
    host.scheduler.setsChanged();
    host.changed();
    return {};
  };
  return {
    'destination.move': async ({ destination, id }) => {
      await agent.at(id).moveDestination(await movedPlace(destination, host));
      return changed();
    },
    'destination.begin': async ({ destination, id }) => {
      await agent.at(id).beginElsewhere(await destinationOf(destination));
      drop();
      return changed();
    },
    'destination.host-key': ({ destination }) => agent.at(destination).hostKeys({}),
    'destination.accept-host-key': async ({ destination, ...input }) => {
      await agent.at(destination).acceptHostKey(input);
      return changed();
    },
    'destination.former': () => ({
      destinations: (requireSettings(home).former ?? []).map(({ name, destination, leftAt }) => ({
        name,
        kind: destination.kind,
        location: locationOf(destination),
        leftAt,
      })),
    }),
    'destination.return': async ({ destination, ...input }) => {
      await agent.at(destination).returnToFormer(input);
      return changed();
    },
    'destination.space': ({ destination }) => agent.at(destination).planFreeing({}),
    'destination.free': async ({ destination, ...input }) => {
      const report = await agent.at(destination).freeSpace(input);
      host.changed();
      return report;
    },
    'destinations.add': async ({ destination, ...more }) => {
      const { entry, isContinued } = await agent.addDestination({
        destination: await destinationOf(destination),
        ...more,
      });
      drop();
      changed();
      return { id: entry.id, name: entry.name, isContinued };
    },
    'destinations.remove': async (input) => {
      await agent.removeDestination(input);
      return changed();
    },
    'destinations.rename': async (input) => {
      await agent.changeDestination(input);
      return changed();
    },
    'destinations.schedule': async ({ destination, schedule = null }) => {
      await agent.changeDestination({ destination, schedule });
      return changed();
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
