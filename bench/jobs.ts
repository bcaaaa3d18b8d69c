/**
 * `bin/node bench/jobs.ts`: the jobs of a bad day with Holdfast, restic and Borg, from the same data in the same run: how many commands
 * a person types, how long they take, and whether the result is right. Every program starts from the same backups of a folder.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measure, run } from './compare/measure.ts';
import { median } from './compare/median.ts';
import { seededBytes } from './data-sets/seeded-bytes.ts';
import { printTable } from './report/console-rows.ts';
import { borg } from './tools/borg.ts';
import { holdfast, PROGRAM } from './tools/holdfast.ts';
import { restic } from './tools/restic.ts';
import type { Store, Tool } from './tools/tool.ts';

const FILES_PER_FOLDER = 50;

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '5000' },
    backups: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
  },
});
const files = Number(values.files);
const BACKUPS = Number(values.backups);
/** The backup before the newest one. */
const YESTERDAY = BACKUPS - 2;

/** The facts of a job, as variables of the shell. */
const FACTS = ['SOURCE', 'TARGET', 'REPOSITORY', 'PHRASE', 'NEW'] as const;

interface Job {
  readonly name: string;
  /** What a person types with each program; `$(…)` is one more command. */
  readonly commands: Readonly<Record<'holdfast' | 'restic' | 'borg', readonly string[]>>;
  /** A program of the shell that succeeds if the result is right; `$OUTPUT` is what the commands printed. */
  readonly isRight: string;
}

const VERSIONS_AT = `$(borg list --short | sed -n ${YESTERDAY + 1}p)`;
const POINT_AT = `$(restic snapshots --compact | grep -oE '^[0-9a-f]{8}' | sed -n ${YESTERDAY + 1}p)`;
const HOLDFAST_AT = `$(holdfast points bench | sed -n ${BACKUPS - YESTERDAY + 1}p | cut -d' ' -f1)`;

const JOBS: readonly Job[] = [
  {
    name: 'find a lost file by a part of its name',
    commands: {
      holdfast: ['holdfast find bench lost-rep'],
      restic: ["restic find '*lost-rep*'"],
      // One command for each archive.
      borg: [
        `for archive in $(borg list --short); do borg list "::$archive" '--pattern=+sh:**/*lost-rep*' '--pattern=-*'; done`,
      ],
    },
    isRight: 'grep -q lost-report.txt "$OUTPUT"',
  },
  {
    name: 'get the version of yesterday of one file',
    commands: {
      holdfast: [`holdfast restore bench --at "${HOLDFAST_AT}" --path "$SOURCE/folder-0003/edited.txt" --to "$TARGET"`],
      restic: [`restic restore "${POINT_AT}" --include "$SOURCE/folder-0003/edited.txt" --target "$TARGET"`],
      borg: [`cd "$TARGET" && borg extract "::${VERSIONS_AT}" "\${SOURCE#/}/folder-0003/edited.txt"`],
    },
    isRight: `test "$(find "$TARGET" -name edited.txt -exec cat {} +)" = "edited in backup ${YESTERDAY}"`,
  },
  {
    name: 'put a folder back exactly as it was yesterday',
    commands: {
      holdfast: [
        `holdfast restore bench --at "${HOLDFAST_AT}" --path "$SOURCE/folder-0003" --in-place --exact --conflict overwrite`,
      ],
      // Neither removes what did not exist then: the folder is removed first, and what was in it is lost.
      restic: [
        'rm -r "$SOURCE/folder-0003"',
        `restic restore "${POINT_AT}" --include "$SOURCE/folder-0003" --target /`,
      ],
      borg: ['rm -r "$SOURCE/folder-0003"', `cd / && borg extract "::${VERSIONS_AT}" "\${SOURCE#/}/folder-0003"`],
    },
    isRight: `test "$(cat "$SOURCE/folder-0003/edited.txt")" = "edited in backup ${YESTERDAY}" && test ! -e "$SOURCE/folder-0003/not-there-yesterday"`,
  },
  {
    name: 'read and check everything that is stored',
    commands: {
      holdfast: ['holdfast check --read-data'],
      restic: ['restic check --read-data'],
      borg: ['borg check --verify-data'],
    },
    isRight: 'true',
  },
  {
    name: 'restore everything on a new computer',
    commands: {
      holdfast: [
        'HOLDFAST_HOME="$NEW/home" holdfast setup --destination "$REPOSITORY" --recovery-phrase-file "$PHRASE"',
        'HOLDFAST_HOME="$NEW/home" holdfast restore bench --to "$TARGET"',
      ],
      restic: ['RESTIC_CACHE_DIR="$NEW/cache" restic restore latest --target "$TARGET"'],
      borg: [
        'export BORG_BASE_DIR="$NEW/base"; borg list --short',
        `export BORG_BASE_DIR="$NEW/base"; cd "$TARGET" && borg extract "::$(borg list --short | tail -1)"`,
      ],
    },
    // What the job before has moved aside is not in a backup.
    isRight: `test "$(find "$TARGET" -type f | wc -l)" = "$(find "$SOURCE" -name 'Before restore*' -prune -o -type f -print | wc -l)"`,
  },
];

interface Contender {
  readonly tool: Tool;
  readonly name: 'holdfast' | 'restic' | 'borg';
  readonly store: Store;
  readonly place: string;
  readonly source: string;
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-jobs-'));
try {
  const contenders: Contender[] = [];
  for (const [name, tool] of Object.entries({ holdfast, restic, borg }) as [Contender['name'], Tool][]) {
    if (tool.missing() !== undefined) continue;
    contenders.push(await prepare(name, tool));
  }
  console.log(contenders.map(({ tool }) => tool.version()).join(', '));
  const rows: string[][] = [];
  for (const job of JOBS) {
    const taken = new Map(
      contenders.map(({ name }) => [name, { seconds: [] as number[], cpu: [] as number[], isRight: true }]),
    );
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const contender of contenders) {
        const result = await perform(job, contender);
        const all = taken.get(contender.name)!;
        all.seconds.push(result.seconds);
        all.cpu.push(result.cpuSeconds);
        all.isRight &&= result.isRight;
      }
    }
    for (const { name, tool } of contenders) {
      const { seconds, cpu, isRight } = taken.get(name)!;
      const times = [seconds, cpu].map((each) => `${median(each).toFixed(2)} s`);
      rows.push([job.name, tool.label, String(countOf(job.commands[name])), ...times, isRight ? 'right' : 'WRONG']);
    }
  }
  printTable(['job', 'program', 'commands', 'wall', 'CPU', 'result'], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Commands that are typed: those in the list, and those of which the output is an argument. A loop counts once for each archive. */
function countOf(commands: readonly string[]): number {
  const inner = commands.reduce(
    (sum, command) => sum + (command.match(/\$\((?:borg|restic|holdfast) /g)?.length ?? 0),
    0,
  );
  const loops = commands.filter((command) => command.startsWith('for ')).length;
  return commands.length + inner + loops * (BACKUPS - 1);
}

/** Makes backups of a folder that changes. */
async function prepare(name: Contender['name'], tool: Tool): Promise<Contender> {
  const place = join(folder, name);
  const source = join(place, 'source');
  mkdirSync(source, { recursive: true });
  const next = seededBytes('jobs');
  for (let index = 0; index < files; index += 1) {
    const parent = join(source, `folder-${String(Math.floor(index / FILES_PER_FOLDER)).padStart(4, '0')}`);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(parent);
    writeFileSync(join(parent, `file-${index}`), next(4000));
  }
  const store = await tool.open(place, source);
  for (let backup = 0; backup < BACKUPS; backup += 1) {
    change(source, backup);
    await run(store.backup(), place);
  }
  return { tool, name, store, place, source };
}

/** Brings the source to its state of a backup. */
function change(source: string, backup: number): void {
  writeFileSync(join(source, 'folder-0003', 'edited.txt'), `edited in backup ${backup}`);
  if (backup === 0) writeFileSync(join(source, 'folder-0005', 'lost-report.txt'), 'lost');
  if (backup === 1) rmSync(join(source, 'folder-0005', 'lost-report.txt'));
  if (backup === BACKUPS - 1) writeFileSync(join(source, 'folder-0003', 'not-there-yesterday'), 'new');
}

interface Performed {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly isRight: boolean;
}

async function perform(job: Job, { name, store, place, source }: Contender): Promise<Performed> {
  // Each job begins with the newest state.
  change(source, BACKUPS - 1);
  const scratch = mkdtempSync(join(place, 'job-'));
  const facts: Record<(typeof FACTS)[number], string> = {
    SOURCE: source,
    TARGET: join(scratch, 'target'),
    REPOSITORY: store.repository,
    PHRASE: join(scratch, 'phrase'),
    NEW: join(scratch, 'new'),
  };
  for (const made of [facts.TARGET, facts.NEW]) mkdirSync(made);
  const environment = {
    ...store.backup().environment,
    ...facts,
    PATH: `${join(PROGRAM, '..')}:${process.env['PATH']!}`,
  };
  if (name === 'holdfast') {
    const words = ['key', 'export', '--json'];
    const shown = spawnSync(PROGRAM, words, { env: { ...process.env, ...environment }, encoding: 'utf8' });
    writeFileSync(facts.PHRASE, (JSON.parse(shown.stdout) as { readonly recovery_phrase: string }).recovery_phrase);
  }
  const script = job.commands[name].map((command) => `( ${command} ) || exit 1`).join('\n');
  const { seconds, cpuSeconds } = await measure({ program: 'sh', args: ['-c', script], environment }, scratch);
  const check = spawnSync('sh', ['-c', job.isRight], {
    env: { ...process.env, ...environment, OUTPUT: join(scratch, 'output') },
    stdio: 'ignore',
  });
  rmSync(scratch, { recursive: true, force: true });
  return { seconds, cpuSeconds, isRight: check.status === 0 };
}
