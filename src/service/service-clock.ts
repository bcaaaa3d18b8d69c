/** Milliseconds since the epoch. */
export interface ServiceClock {
  now(): number;
}
