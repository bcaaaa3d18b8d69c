import { systemClock } from '../../base/clock.ts';
import { toAgent, type FromAgent } from '../../ipc/agent-events.ts';
import { homeAt, homeFolder } from '../home/home.ts';
import { HomeKeyStore } from '../key-store/home-key-store.ts';
import { SystemKeychain } from '../key-store/keychain.ts';
import { systemTimers } from '../schedule/ports.ts';
import { systemReadings } from '../schedule/system-readings.ts';
import { AgentHost } from './host.ts';
import { processPort } from './process-port.ts';
import { ThreadedAgent } from './runs/threaded-agent.ts';

// What Electron's main process starts beside itself, and tests as a plain process of Node.

main();

function main(): void {
  const port = processPort();
  const environment = process.env;
  const home = homeAt(homeFolder(undefined, environment));
  const post = (message: FromAgent): void => port.post(message);
  const host = new AgentHost({
    home,
    environment,
    clock: systemClock,
    timers: systemTimers,
    readings: systemReadings,
    newAgent: (parts) => new ThreadedAgent(parts),
    keyStore: new HomeKeyStore(home, new SystemKeychain(environment)),
    post,
  });
  port.onClose(() => void host.close().finally(() => process.exit(0)));
  port.onMessage((message) => {
    const call = toAgent.safeParse(message);
    if (!call.success) return;
    const { id, method, input } = call.data;
    void host.call(method, input).then((answer) => post({ kind: 'answer', id, answer }));
  });
  post({ kind: 'ready' });
  host.start();
}
