import type { CommandContext } from '../runner.ts';

/**
 * Makes sure that a command for one destination names it if there are several.
 *
 * @throws HoldfastError `usage`
 */
export async function requireChoice(destination: string | undefined, context: CommandContext): Promise<void> {
  if (destination !== undefined) return;
  const { others = [] } = (await context.agent()).settings() ?? {};
  if (others.length === 0) return;
  const { wrongUsage } = await import('../../base/errors/errors.ts');
  throw wrongUsage({
    problem: 'options',
    message: 'There are several destinations: choose one with --destination NAME.',
  });
}
