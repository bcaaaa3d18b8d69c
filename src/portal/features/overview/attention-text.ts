import type { AttentionItem } from '../../../protocol/portal/portal-devices.ts';
import type { Tone } from '../../../ui/theme/tone.ts';
import type { Language } from '../../strings/language.ts';

/** What needs somebody, the facts, and the way out. */
export interface AttentionText {
  readonly tone: Extract<Tone, 'bad' | 'warning'>;
  readonly title: string;
  readonly text: string;
  readonly wayOut: string;
  /** At the end of the way out. */
  readonly command?: string;
}

/** Describes an item to the person. */
export function attentionText(item: AttentionItem, { strings, formats }: Language): AttentionText {
  const words = strings.attention;
  const lastBackup = (time: string | null): string =>
    time === null ? words.noBackup : words.lastBackup(formats.dateTime(time));
  switch (item.kind) {
    case 'muted':
      return {
        tone: 'warning',
        title: words.muted,
        text: words.mutedText,
        wayOut: words.mutedOut,
        command: 'holdfast service take-over',
      };
    case 'alarm': {
      const { restore_point: point, last_good: good } = item;
      const reasons = formats.list(item.reasons.map((reason) => words.reasons[reason] ?? reason));
      const text = [
        words.alarmText(formats.dateTime(item.raised), reasons),
        ...(point === null ? [] : [words.alarmPoint(formats.dateTime(point))]),
        good === null ? words.alarmNoGood : words.alarmGood(formats.dateTime(good)),
      ].join(' ');
      const title = words.alarm(item.backup_set, item.device_name);
      return { tone: 'bad', title, text, wayOut: words.alarmOut(item.device_name) };
    }
    case 'held':
      return {
        tone: 'warning',
        title: words.held,
        text: words.heldText(formats.dateTime(item.since)),
        wayOut: words.heldOut,
      };
    case 'lost':
      return { tone: 'bad', title: words.lost(item.chunks), text: words.lostText, wayOut: words.lostOut };
    case 'limit': {
      const { storage_used: used, limit_bytes: limit } = item;
      const text = words.limitText(formats.bytes(used), formats.bytes(limit));
      return used < limit
        ? { tone: 'warning', title: words.limit(formats.percent(used / limit)), text, wayOut: words.limitOut }
        : { tone: 'bad', title: words.full, text, wayOut: words.fullOut };
    }
    case 'payment':
      return {
        tone: 'warning',
        title: words.payment,
        text: words.paymentText(formats.day(item.failed)),
        wayOut: words.paymentOut,
      };
    case 'webhook':
      return item.switched_off === null
        ? {
            tone: 'warning',
            title: words.webhookFails(item.url),
            text: words.webhookSince(formats.dateTime(item.failing_since ?? '')),
            wayOut: words.webhookFailsOut(formats.dateTime(item.switches_off ?? '')),
          }
        : {
            tone: 'bad',
            title: words.webhookOff(item.url),
            text: words.webhookOffText(formats.dateTime(item.switched_off)),
            wayOut: words.webhookOffOut,
          };
    case 'offline':
      return {
        tone: 'bad',
        title: words.offline(item.device_name, formats.dateTime(item.last_seen)),
        text: lastBackup(item.last_backup),
        wayOut: words.offlineOut,
      };
    case 'failed':
      return {
        tone: 'bad',
        title: words.failed(item.backup_set, item.device_name),
        text: `${words.failedText(formats.dateTime(item.ended), words.failures[item.failure ?? 'none'])} ${lastBackup(item.last_backup)}`,
        wayOut: words.failedOut(item.device_name),
      };
    case 'late':
      return {
        tone: 'warning',
        title: words.late(item.device_name),
        text: lastBackup(item.last_backup),
        wayOut: words.lateOut(item.device_name),
      };
    case 'new':
      return {
        tone: 'warning',
        title: words.new(item.device_name),
        text: words.newText(formats.dateTime(item.registered)),
        wayOut: words.newOut(item.device_name),
      };
  }
}
