import { parseClientMessage } from '../../base/calls/messages.ts';
import { parentProcessPort, portFromParent } from '../../base/calls/process-port.ts';
import { serveCalls } from '../../base/calls/serve-calls.ts';
import { systemClock } from '../../base/clock.ts';
import { preventCoreFiles } from '../../base/no-core-files.ts';
import { createForOwnerOnly } from '../../base/files/owner-only.ts';
import type { AgentEvents } from '../../ipc/agent-events.ts';
import { homeAt, homeFolder } from '../home/home.ts';
import { HomeKeyStore } from '../key-store/home-key-store.ts';
import { relayKeychain } from '../key-store/keychain-relay.ts';
import { SystemKeychain } from '../key-store/keychain.ts';
import { systemTimers } from '../schedule/ports.ts';
import { systemReadings } from '../schedule/system-readings.ts';
import { AgentHost } from './host.ts';
import { performInThread } from './runs/perform-in-thread.ts';

// The program of the agent's process: Electron's main process starts it, and tests start it as a process of Node.

main();

function main(): void {
  createForOwnerOnly();
  preventCoreFiles();
  const port = parentProcessPort();
  void relayKeychain(portFromParent());
  const environment = process.env;
  const home = homeAt(homeFolder(undefined, environment));
  const emit = serveCalls<AgentEvents>(port, (method, input) => host.call(method, input), {
    parse: parseClientMessage,
  });
  const host = new AgentHost({
    home,
    environment,
    clock: systemClock,
    timers: systemTimers,
    readings: systemReadings,
    perform: performInThread,
    keyStore: new HomeKeyStore(home, new SystemKeychain(environment)),
    emit,
  });
  port.onEnd(() => void host.close().finally(() => process.exit(0)));
  emit('ready', {});
  host.start();
}
