import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compress, writeTar } from './formats/archive.ts';
import { writeDeb } from './formats/debian.ts';
import { commonMetadata, systemVersion, type Metadata } from './formats/metadata.ts';
import { writeRpm } from './formats/rpm.ts';
import { MissingTool } from './formats/run.ts';
import { addCommandLine, addService, type Layout, type Sources } from './packages.ts';
import { PackageTree } from './tree.ts';

export const FORMATS = ['tar', 'deb', 'rpm'] as const;
export type Format = (typeof FORMATS)[number];

export interface BuiltPackages {
  readonly files: readonly string[];
  /** What could not be built here, with the reason. */
  readonly left: readonly string[];
}

/** Builds packages of the CLI and of the service into a folder. */
export function buildPackages(sources: Sources, formats: readonly Format[], out: string): BuiltPackages {
  mkdirSync(out, { recursive: true });
  const files: string[] = [];
  const left: string[] = [];
  for (const format of formats) {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
    try {
      files.push(...BUILDERS[format](sources, folder, out));
    } catch (error) {
      if (!(error instanceof MissingTool)) throw error;
      left.push(`${format}: ${error.message}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return { files, left };
}

/** Puts what an archive contains into a folder. */
export function addArchive(folder: string, sources: Sources): PackageTree {
  const tree = new PackageTree(folder);
  addCommandLine(tree, '', 'archive', sources);
  addService(tree, '', 'archive', sources);
  return tree;
}

const BUILDERS: Readonly<Record<Format, (sources: Sources, folder: string, out: string) => readonly string[]>> = {
  tar: (sources, folder, out) => {
    const name = `holdfast-${sources.version}-linux-${sources.target.arch}`;
    const file = join(out, `${name}.tar`);
    writeTar(addArchive(join(folder, 'tree'), sources).folder, file, name, sources.epoch);
    compress(file, sources.level);
    return [`${file}.xz`];
  },
  deb: (sources, folder, out) =>
    systemPackages(sources, folder, 'debian').map(({ tree, metadata, isProgram }) => {
      const architecture = isProgram ? sources.target.debian : 'all';
      const file = join(out, `${metadata.name}_${systemVersion(sources.version)}_${architecture}.deb`);
      writeDeb(tree, file, architecture, metadata, sources);
      return file;
    }),
  rpm: (sources, folder, out) =>
    systemPackages(sources, folder, 'rpm').map(({ tree, metadata, isProgram }) => {
      const architecture = isProgram ? sources.target.rpm : 'noarch';
      const file = join(out, `${metadata.name}-${systemVersion(sources.version)}-1.${architecture}.rpm`);
      writeRpm(tree, file, architecture, metadata, sources);
      return file;
    }),
};

interface SystemPackage {
  readonly tree: PackageTree;
  readonly metadata: Metadata;
  /** True for the package that has binaries. */
  readonly isProgram: boolean;
}

function systemPackages(sources: Sources, folder: string, layout: Layout): readonly SystemPackage[] {
  const program = new PackageTree(join(folder, 'cli'));
  addCommandLine(program, 'usr', layout, sources);
  const service = new PackageTree(join(folder, 'service'));
  addService(service, 'usr', layout, sources);
  if (layout === 'rpm') service.makeFolder('var/lib/holdfast');
  return [
    { tree: program, metadata: cliMetadata(sources), isProgram: true },
    { tree: service, metadata: serviceMetadata(sources), isProgram: false },
  ];
}

/** Of the prebuilt better-sqlite3, which needs the newest C library of all binaries: Debian 12, Ubuntu 22.04, Fedora 35. */
const LIBRARIES = {
  debian: ['libc6 (>= 2.34)', 'libstdc++6 (>= 11)', 'libgcc-s1'],
  rpm: ['glibc >= 2.34', 'libstdc++ >= 11', 'libgcc'],
};

function cliMetadata({ root, version }: Sources): Metadata {
  return {
    ...commonMetadata(root, version),
    name: 'holdfast-cli',
    summary: 'Encrypted, deduplicated backups from the command line',
    description:
      'Backs up folders to a disk, a bucket, an SSH or WebDAV server or a service, and\nrestores any file as it was at any restore point. Contains the Node that it\nruns on.',
    needs: LIBRARIES,
    configuration: [],
    scripts: { debian: join(root, 'deploy/debian-cli'), rpm: join(root, 'deploy/rpm-cli') },
  };
}

function serviceMetadata({ root, version }: Sources): Metadata {
  return {
    ...commonMetadata(root, version),
    name: 'holdfast-service',
    summary: 'Backup service of Holdfast, for self-hosting',
    description:
      'Stores the encrypted backups of computers, with accounts, a portal and\nwebhooks. Installing it starts nothing: see self-hosting.md in its\ndocumentation.',
    needs: {
      debian: [`holdfast-cli (= ${systemVersion(version)})`, 'passwd'],
      rpm: [`holdfast-cli = ${systemVersion(version)}`, 'shadow-utils'],
    },
    configuration: ['/etc/holdfast/service.json'],
    scripts: { debian: join(root, 'deploy/debian'), rpm: join(root, 'deploy/rpm') },
  };
}
