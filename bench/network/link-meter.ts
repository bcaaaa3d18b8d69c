/** Records the traffic in one direction of a link. */
export class LinkMeter {
  /** Milliseconds of any clock, in order. */
  #passed: { readonly at: number; readonly bytes: number }[] = [];

  add(at: number, bytes: number): void {
    this.#passed.push({ at, bytes });
  }

  reset(): void {
    this.#passed = [];
  }

  get bytes(): number {
    return this.#passed.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes per second without the first and last percent of the bytes, which exclude start and end. */
  get busyRate(): number {
    const margin = this.bytes / 100;
    const first = this.#timeOf(margin);
    const last = this.#timeOf(this.bytes - margin);
    return last > first ? ((this.bytes - 2 * margin) / (last - first)) * 1000 : 0;
  }

  /** The maximum rate over any window of that many seconds; `undefined` if less time was recorded. */
  highestRate(seconds: number): number | undefined {
    let [highest, bytes, oldest]: [number | undefined, number, number] = [undefined, 0, 0];
    for (const { at, bytes: more } of this.#passed) {
      bytes += more;
      for (; at - this.#passed[oldest]!.at > seconds * 1000; oldest += 1) bytes -= this.#passed[oldest]!.bytes;
      if (at - this.#passed[0]!.at >= seconds * 1000) highest = Math.max(highest ?? 0, bytes / seconds);
    }
    return highest;
  }

  #timeOf(part: number): number {
    let bytes = 0;
    for (const { at, bytes: more } of this.#passed) {
      bytes += more;
      if (bytes >= part) return at;
    }
    return 0;
  }
}
