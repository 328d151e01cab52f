import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Egress } from './egress.ts'
import type { ExecutionSpec } from './executor.ts'
import { prepareVolumes, type Mountable } from './layers.ts'
import { findRootFilesystem, user, type RootFilesystem } from './root-filesystem.ts'
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
  volumes: Mountable[]
  /** Folders of the host that the command can write to. */
  writable: string[]
}

/** Where our own files are in a sandbox. */
export const ownFolder = '/run/assay'

export async function findHost(options: SandboxOptions): Promise<Host> {
  const toolchains = await findToolchains(options.hostEnvironment, options.extraPaths)
  return { root: findRootFilesystem(), toolchains, hidden: options.hiddenPaths }
}

/** Creates the files of one execution in `spec.scratch`, and lists the entries that it sees. */
export async function prepareFiles(spec: ExecutionSpec, host: Host, egress: Egress | null): Promise<SandboxFiles> {
  const own = (name: string) => join(spec.scratch, name)
  for (const name of ['tmp', 'home', 'shm', 'etc']) await mkdir(own(name), { recursive: true })
  await writeFile(own('etc/empty'), '')
  // Maven reads no file without an element.
  await writeFile(own('etc/empty.xml'), '<settings/>\n')
  for (const { path, content } of host.root.files) await writeFile(join(own('etc'), basename(path)), content)
  const volumes = await prepareVolumes(spec.volumes, spec.scratch)

  const shown = [...host.root.shown, ...host.toolchains.folders].toSorted()
  const entries: Entry[] = [
    ...shown.map((path) => ({ kind: 'show' as const, source: path, path })),
    ...host.root.links.map((link) => ({ kind: 'link' as const, ...link })),
    ...host.root.files.map(({ path }) => ({
      kind: 'show' as const,
      source: join(own('etc'), basename(path)),
      path,
    })),
    ...host.root.masked.map((path) => ({
      kind: 'show' as const,
      source: own(path.endsWith('.xml') ? 'etc/empty.xml' : 'etc/empty'),
      path,
    })),
    ...host.hidden
      .filter((path) => existsSync(path) && shown.some((folder) => isWithin(path, folder)))
      .map((path) => ({ kind: 'empty' as const, path })),
    { kind: 'show', source: process.execPath, path: `${ownFolder}/bin/node` },
    { kind: 'write', source: own('tmp'), path: '/tmp' },
    { kind: 'link', target: '../tmp', path: '/var/tmp' },
    { kind: 'write', source: own('home'), path: user.home },
    ...(egress?.files ?? []).map((file) => ({ kind: 'show' as const, ...file })),
    ...volumes
      .toSorted((a, b) => a.path.length - b.path.length)
      .map(({ path, source, readOnly }) => ({ kind: readOnly ? ('show' as const) : ('write' as const), source, path })),
  ]
  return {
    entries,
    volumes,
    environment: { ...baseEnvironment(host.toolchains), ...egress?.environment, ...spec.environment },
    writable: [
      ...['tmp', 'home', 'shm'].map(own),
      ...spec.volumes.flatMap(({ upper }) => (upper === null ? [] : [upper])),
    ],
  }
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
