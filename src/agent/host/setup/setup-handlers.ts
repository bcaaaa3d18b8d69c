import { hostname } from 'node:os';
import type { destinationMethods } from '../../../ipc/contract/destination.ts';
import type { DestinationChoice, setupMethods } from '../../../ipc/contract/setup.ts';
import type { SetupDestination } from '../../setup/join-request.ts';
import type { SetupReport } from '../../operations/setup.ts';
import { destinationHandlers } from '../destination/destination-handlers.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { OwnHandlers } from '../operation-handlers.ts';
import { findDisks } from '../destination/available-disks.ts';
import { chosenFolder, chosenStorePlace } from '../destination/destination-choice.ts';
import { PhraseConfirmation } from './phrase-confirmation.ts';
import { SetupSignIn } from './setup-sign-in.ts';
import { tryDestination } from './destination-trial.ts';

/**
 * Handles the calls of the first start: finding and trying a destination, and the setup itself; and those of Settings for
 * changing the destination.
 */
export function setupHandlers(host: HandlerContext): OwnHandlers<typeof setupMethods & typeof destinationMethods> {
  const { agent, home } = host;
  const signIn = new SetupSignIn(agent.parts, (url) => host.browse(url));
  const phrase = new PhraseConfirmation(host);

  const destinationOf = async (choice: DestinationChoice): Promise<SetupDestination> => {
    switch (choice.kind) {
      case 'folder':
        return { kind: 'folder', directory: (await chosenFolder(choice, home)).folder, parity: choice.parity };
      case 'bucket':
      case 'sftp':
      case 'webdav':
      case 'rclone':
        return { ...chosenStorePlace(choice), parity: choice.parity };
      case 'service': {
        const { url, email, session } = signIn.signedInAt(choice.url);
        return { kind: 'session', url, email, session };
      }
    }
  };

  return {
    ...destinationHandlers(host, { destinationOf, drop: () => signIn.drop() }),
    'setup.disks': async () => ({ disks: [...(await findDisks())], deviceName: hostname() }),
    'setup.try': ({ choice }) => tryDestination(choice, agent.parts),
    'setup.rclone-remotes': async () => {
      const { rcloneRemotes } = await import('../../../storage/rclone/rclone-remotes.ts');
      return { remotes: [...(await rcloneRemotes())] };
    },
    'setup.sign-in': ({ url, email, password }) => signIn.begin(url, email, password),
    'setup.verify-factor': ({ factor, code }) => signIn.verify(factor, code),
    'setup.sign-in-with-provider': ({ url }) => signIn.beginWithProvider(url),
    'setup.cancel': () => {
      signIn.drop();
      return {};
    },
    'setup.finish': async ({ choice, deviceName, deviceId, phrase: recoveryPhrase, keyCode, passphrase }) => {
      const report = await agent.setup({
        destination: await destinationOf(choice),
        deviceName,
        asksPhraseBack: true,
        ...(deviceId === undefined ? {} : { deviceId }),
        ...(recoveryPhrase === undefined ? {} : { recoveryPhrase }),
        ...(keyCode === undefined ? {} : { keyCode }),
        ...(passphrase === undefined ? {} : { passphrase }),
      });
      const where = agent.settings()?.destination;
      signIn.done(where?.kind === 'service' && where.signIn.kind === 'user');
      host.changed();
      return { isAdopted: report.adopted, storedSets: storedSetsOf(report) };
    },
    'setup.phrase': () => phrase.show(),
    'setup.confirm-phrase': async ({ words }) => ({ isRight: await phrase.confirm(words) }),
  };
}

function storedSetsOf({
  storedSets,
  devices,
}: SetupReport): { deviceId: string; deviceName: string | undefined; set: string }[] {
  const names = new Map(devices.map(({ id, name }) => [id, name]));
  return (storedSets ?? []).map(({ deviceId, backupSet: set }) => ({
    deviceId,
    deviceName: names.get(deviceId),
    set,
  }));
}
