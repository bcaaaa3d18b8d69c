import { requestRetention } from '../../../engine/transfer/client/retention-calls.ts';
import type { AuthorisedCalls } from '../../../engine/transfer/client/authorised-calls.ts';
import type { alarmMethods } from '../../../ipc/contract/alarm.ts';
import type { Handlers } from '../../../base/calls/contract.ts';
import { requireSettings } from '../../home/settings.ts';
import type { AlarmWatch } from './alarm-watch.ts';
import type { HandlerContext } from '../handler-context.ts';

/** A person, who may do what a device key may not. */
export interface Person {
  /** @throws HoldfastError `signed_out` if nobody has signed in */
  ask<Result>(work: (caller: { readonly calls: AuthorisedCalls }) => Promise<Result>): Promise<Result>;
}

/** Handles the call that releases the removals held because of an alarm. */
export function alarmHandlers(
  { agent, home, changed }: Pick<HandlerContext, 'agent' | 'home' | 'changed'>,
  alarms: AlarmWatch,
  person: Person,
): Handlers<typeof alarmMethods> {
  return {
    'alarm.release': async () => {
      const { destination, deviceId } = requireSettings(home);
      // The hold is the account's: any of its sets will do.
      const set = alarms.heldThrough;
      if (set === undefined) return {};
      if (destination.kind === 'service') {
        const request = { action: 'release', device_id: deviceId, backup_set: set } as const;
        await person.ask(({ calls }) => requestRetention(calls, request));
      } else await agent.retention({ set }, { action: 'release' });
      alarms.released();
      changed();
      return {};
    },
  };
}
