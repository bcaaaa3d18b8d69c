// Preloaded with `node --import`: this process's clock is HOLDFAST_TEST_CLOCK_AHEAD seconds ahead.
const ahead = Number(process.env.HOLDFAST_TEST_CLOCK_AHEAD) * 1000;
const RealDate = Date;
const now = () => RealDate.now() + ahead;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, values, self) => Reflect.construct(target, values.length === 0 ? [now()] : values, self),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
