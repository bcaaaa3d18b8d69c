import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { failureFacts } from '../failure-facts.ts';
import { currentRequest } from '../request/request-scope.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The log of a service: one JSON object per line. Lines written during a request contain its `request_id`.
 * Errors are logged with their messages and causes, without what may name files or be a secret.
 */
export function serviceLog(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: failureFacts },
      mixin: () => {
        const id = currentRequest()?.id;
        return id === undefined ? {} : { request_id: id };
      },
    },
    destination,
  );
}
