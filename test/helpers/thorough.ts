/**
 * Whether every row of every table is tested: `npm run test:all`, which a release runs. `npm test` takes some rows of tables whose rows cost
 * seconds and differ in little, so that it ends in minutes
 * ([why](../../docs/decisions/history/0345-what-every-commit-tests.md)).
 */
export const IS_THOROUGH = process.env['HOLDFAST_TESTS'] === 'all';

/**
 * Returns the rows of a long table that this run tests: all of a thorough one, else every `step`-th, the row `first` before all others.
 *
 * @param first changes which rows are taken where two tables have the same ones
 */
export function sampled<Row>(rows: readonly Row[], step: number, first = 0): Row[] {
  return rows.filter((_, index) => IS_THOROUGH || index % step === first % step);
}

/** Returns `usual`, or `all` in a thorough run: a number of rounds, a list of languages or sizes. */
export function orThorough<Value>(usual: Value, all: Value): Value {
  return IS_THOROUGH ? all : usual;
}
