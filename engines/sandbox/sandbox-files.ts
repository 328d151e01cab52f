import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Egress } from './egress.ts'
import type { ExecutionSpec } from './executor.ts'
import { prepareVolumes, type Mountable } from './layers.ts'
import { findRootFilesystem, user, type RootFilesystem } from './root-filesystem.ts'
import type { UidRange } from './sandbox-users.ts'
import type { Stage } from './stage.ts'
import { findToolchains, isWithin, type Toolchains } from './toolchains.ts'

export interface SandboxOptions {
  /** The environment of this process. Only PATH, HOME and the paths of toolchains and certificates are used. */
  hostEnvironment: Readonly<Record<string, string | undefined>>
  /** More folders to show read-only. */
  extraPaths: readonly string[]
  /** Folders that stay hidden even inside of a shown folder: Assay's own data. */
  hiddenPaths: readonly string[]
  /** Networks that commands may reach through the egress proxy, besides the public internet. */
  allowCidrs: readonly string[]
  /** Where root runs Assay: the users that sandboxes run as. */
  uidRange?: UidRange
}

/** What of this machine every sandbox shows. */
export interface Host {
  root: RootFilesystem
  toolchains: Toolchains
  hidden: readonly string[]
}

/** One file or folder in a sandbox. The executor creates them in order. */
export type Entry =
  | { kind: 'show' | 'write'; source: string; path: string }
  | { kind: 'link'; target: string; path: string }
  | { kind: 'empty'; path: string }

export interface SandboxFiles {
  entries: Entry[]
  environment: Record<string, string>
  /** The commands that mount what the entries show, and the folders that these mounts leave behind. */
  mounts: string[]
  leftovers: string[]
  /** What the sandbox shows as /dev/shm. On disk like /tmp, so that it counts. */
  shm: string
  /** An empty file. */
  empty: string
  /** Folders of the host that the command can write to. */
  writable: string[]
}

/** Where our own files are in a sandbox. */
export const ownFolder = '/run/assay'

export async function findHost(options: SandboxOptions): Promise<Host> {
  const toolchains = await findToolchains(options.hostEnvironment, options.extraPaths)
  return { root: findRootFilesystem(), toolchains, hidden: options.hiddenPaths }
}

/**
 * Creates the files of one execution in `spec.scratch`, and lists the entries that it sees.
 *
 * @param stage - null if the sandbox runs as our own user
 */
export async function prepareFiles(
  spec: ExecutionSpec,
  host: Host,
  egress: Egress | null,
  stage: Stage | null,
): Promise<SandboxFiles> {
  const own = (name: string) => join(spec.scratch, name)
  for (const name of ['tmp', 'home', 'shm', 'etc']) await mkdir(own(name), { recursive: true })
  await writeFile(own('etc/empty'), '')
  // Maven reads no file without an element.
  await writeFile(own('etc/empty.xml'), '<settings/>\n')
  for (const { path, content } of host.root.files) await writeFile(join(own('etc'), basename(path)), content)
  const scratch = stage === null ? spec.scratch : await stage.give(spec.scratch, ['tmp', 'home', 'shm'])
  const volumes = stage === null ? await prepareVolumes(spec.volumes, spec.scratch) : await stageVolumes(spec, stage)
  const source = (path: string) => (stage === null ? path : stage.show(path))

  const shown = [...host.root.shown, ...host.toolchains.folders].toSorted()
  const entries: Entry[] = [
    ...shown.map((path) => ({ kind: 'show' as const, source: source(path), path })),
    ...host.root.links.map((link) => ({ kind: 'link' as const, ...link })),
    ...host.root.files.map(({ path }) => ({
      kind: 'show' as const,
      source: join(scratch, 'etc', basename(path)),
      path,
    })),
    ...host.root.masked.map((path) => ({
      kind: 'show' as const,
      source: join(scratch, path.endsWith('.xml') ? 'etc/empty.xml' : 'etc/empty'),
      path,
    })),
    ...host.hidden
      .filter((path) => existsSync(path) && shown.some((folder) => isWithin(path, folder)))
      .map((path) => ({ kind: 'empty' as const, path })),
    { kind: 'show', source: source(process.execPath), path: `${ownFolder}/bin/node` },
    { kind: 'write', source: join(scratch, 'tmp'), path: '/tmp' },
    { kind: 'link', target: '../tmp', path: '/var/tmp' },
    { kind: 'write', source: join(scratch, 'home'), path: user.home },
    ...(egress?.files ?? []).map((file) => ({ kind: 'show' as const, path: file.path, source: source(file.source) })),
    ...volumes
      .toSorted((a, b) => a.path.length - b.path.length)
      .map(({ path, source, readOnly }) => ({ kind: readOnly ? ('show' as const) : ('write' as const), source, path })),
  ]
  return {
    entries,
    shm: join(scratch, 'shm'),
    empty: join(scratch, 'etc/empty'),
    mounts: stage === null ? volumes.flatMap(({ mount }) => mount ?? []) : stage.commands(),
    leftovers: volumes.flatMap(({ work }) => work ?? []),
    environment: { ...baseEnvironment(host.toolchains), ...egress?.environment, ...spec.environment },
    writable: [
      ...['tmp', 'home', 'shm'].map(own),
      ...spec.volumes.flatMap(({ upper }) => (upper === null ? [] : [upper])),
    ],
  }
}

/** The stage mounts them and removes what the mounts leave behind. */
async function stageVolumes({ volumes }: ExecutionSpec, stage: Stage): Promise<Mountable[]> {
  const prepared: Mountable[] = []
  for (const volume of volumes) {
    const source = await stage.mount(volume)
    prepared.push({ path: volume.path, source, readOnly: volume.upper === null, mount: null, work: null })
  }
  return prepared
}

function baseEnvironment({ path, environment, ownNodeFirst }: Toolchains): Record<string, string> {
  const ownNode = `${ownFolder}/bin`
  return {
    PATH: (ownNodeFirst ? [ownNode, ...path] : [...path, ownNode]).join(':'),
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    SHELL: '/bin/sh',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    CI: 'true',
    ...environment,
  }
}
