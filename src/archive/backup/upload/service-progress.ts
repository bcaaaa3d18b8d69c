import type { Clock } from '../../../base/clock.ts';
import type { ServiceClient } from '../../../remote/ports.ts';

const EVERY_MS = 30_000;
const EVERY_CHUNKS = 100;

/** Reports a session's progress to the service every 30 s or 100 chunks, one call at a time. Failures are ignored. */
export class ServiceProgress {
  readonly #service: Pick<ServiceClient, 'backupProgress'>;
  readonly #clock: Clock;
  readonly #sessionId: string;
  readonly #total: number;
  #uploaded = 0;
  #bytes = 0;
  #reportedAt: number;
  #reportedChunks = 0;
  #underWay: Promise<void> | undefined;

  /** @param chunksTotal 0 if it is not known yet */
  constructor(service: Pick<ServiceClient, 'backupProgress'>, clock: Clock, sessionId: string, chunksTotal: number) {
    this.#service = service;
    this.#clock = clock;
    this.#sessionId = sessionId;
    this.#total = chunksTotal;
    this.#reportedAt = clock.now();
  }

  add(chunks: number, blobBytes: number): void {
    this.#uploaded += chunks;
    this.#bytes += blobBytes;
    const now = this.#clock.now();
    const due = this.#uploaded - this.#reportedChunks >= EVERY_CHUNKS || now - this.#reportedAt >= EVERY_MS;
    if (!due || this.#underWay) return;
    this.#reportedAt = now;
    this.#reportedChunks = this.#uploaded;
    const report = {
      session_id: this.#sessionId,
      chunks_uploaded: this.#uploaded,
      chunks_total: Math.max(this.#total, this.#uploaded),
      bytes_uploaded: this.#bytes,
    };
    this.#underWay = this.#service
      .backupProgress(report)
      .catch(() => undefined)
      .finally(() => {
        this.#underWay = undefined;
      });
  }

  /** Waits for the report under way, so that none follows the end of the session. */
  async finish(): Promise<void> {
    await this.#underWay;
  }
}
