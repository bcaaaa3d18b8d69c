import { requestRetention } from '../../../remote/client/retention-calls.ts';
import type { AuthorisedCalls } from '../../../remote/client/authorised-calls.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import type { alarmMethods } from '../../../ipc/contract/alarm.ts';
import type { Handlers } from '../../../base/calls/contract.ts';
import { requireSettings } from '../../home/settings.ts';
import type { AlarmWatch, Hold } from './alarm-watch.ts';
import type { HandlerContext } from '../handler-context.ts';

/** A person, who may do what a device key may not. */
export interface Person {
  /** @param destination its id. @throws HoldfastError `signed_out` if nobody has signed in */
  ask<Result>(
    work: (caller: { readonly calls: AuthorisedCalls }) => Promise<Result>,
    destination: string,
  ): Promise<Result>;
}

/** Handles the call that releases the removals held because of an alarm, at all destinations. */
export function alarmHandlers(
  { agent, home, changed }: Pick<HandlerContext, 'agent' | 'home' | 'changed'>,
  alarms: AlarmWatch,
  person: Person,
): Handlers<typeof alarmMethods> {
  const release = async ({ destination: id, set }: Hold): Promise<void> => {
    const { destination, deviceId } = requireSettings(home, id);
    if (destination.kind === 'service') {
      const request = { action: 'release', device_id: deviceId, backup_set: set } as const;
      await person.ask(({ calls }) => requestRetention(calls, request), id);
    } else await agent.at(id).retention({ set, action: 'release' });
    alarms.released(id);
    changed();
  };
  const isService = ({ destination: id }: Hold): boolean => requireSettings(home, id).destination.kind === 'service';
  return {
    'alarm.release': async () => {
      // A destination that refuses or is absent leaves the others released.
      const { holds } = alarms;
      const results = await Promise.allSettled(holds.map(release));
      const signInAt = holds.find((hold, index) => demandsSignIn(results[index]!) && isService(hold))?.destination;
      if (signInAt !== undefined) return { signInAt };
      const refused = results.find((result) => result.status === 'rejected');
      if (refused) throw refused.reason;
      return {};
    },
  };
}

function demandsSignIn(result: PromiseSettledResult<unknown>): boolean {
  if (result.status === 'fulfilled') return false;
  return isHoldfastError(result.reason, 'signed_out') || isHoldfastError(result.reason, 'permission_denied');
}
