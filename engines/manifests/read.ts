import { isVendored } from '../languages/path-rules.ts'
import { anyOf, defaultManagers, formatOf, formats, managerFiles } from './formats.ts'
import { catalogPrefix, parseCatalog } from './gradle.ts'
import type { Dependency, Ecosystem, Manifest, ManifestFacts, ManifestNote } from './manifest.ts'
import { UnreadableManifest } from './manifest.ts'
import { parseCatalogs } from './npm.ts'
import { parseCentralVersions } from './nuget.ts'
import { lockedGems } from './ruby.ts'

/** A larger one was not written by people, and would only cost time. */
const maxBytes = 1_048_576
const maxDependencies = 5_000
/** People nest less deeply, and every further level would cost its time for each manifest. */
const maxFolders = 50
const maxDetails = 20

export interface ManifestReading {
  /** By depth, then by path; several of one folder in the order of their formats. */
  manifests: Manifest[]
  notes: ManifestNote[]
}

/** Files that `readManifests` wants to see. Those of vendored packages are not the project's. */
export function isManifestPath(path: string): boolean {
  const name = baseName(path)
  const wanted = formatOf(path) !== undefined || anyDetailFile.test(name)
  return wanted && !isVendored(path)
}

/**
 * Reads the manifests among `files`. `paths` are all paths of the repository, for lockfiles. Broken manifests are left
 * out and noted, whatever is in them.
 */
export function readManifests(
  files: Iterable<{ path: string; content: Buffer }>,
  paths: Iterable<string> = [],
): ManifestReading {
  const notes: ManifestNote[] = []
  const manifests: Manifest[] = []
  const details: Detail[] = []
  for (const { path, content } of files) {
    if (!isManifestPath(path)) continue
    try {
      if (content.length > maxBytes) throw new UnreadableManifest(`is larger than ${maxBytes} bytes`)
      const detail = detailFiles.find(({ name }) => name.test(baseName(path)))
      if (detail) {
        details.push({ folder: detail.folder(path), ecosystem: detail.ecosystem, ...detail.read(decoded(content)) })
        continue
      }
      const { shared, ...manifest } = readManifest(path, decoded(content))
      manifests.push(manifest)
      if (shared?.size) details.push({ folder: folderOf(path), ecosystem: manifest.ecosystem, versions: shared })
    } catch (error) {
      const known = error instanceof UnreadableManifest
      // Parsers recurse; a manifest nested some thousand levels deep exhausts the stack. Anything else is our defect.
      if (!known && !(error instanceof RangeError)) throw error
      notes.push({ path, message: known ? error.message : 'is nested too deeply' })
    }
  }
  manifests.sort(byDepth)
  fillIn(manifests, details)
  nameManagers(manifests, paths)
  return { manifests, notes }
}

function readManifest(path: string, source: string): Manifest & Pick<ManifestFacts, 'shared'> {
  const format = formatOf(path)
  if (!format) throw new UnreadableManifest('is of no known format')
  const facts = format.parse(source, path)
  return {
    path,
    ecosystem: format.ecosystem,
    scripts: {},
    workspaces: [],
    settings: [],
    ...facts,
    dependencies: unique(facts.dependencies ?? []).slice(0, maxDependencies),
  }
}

/** What the manifests of a folder, or of all below it, leave to another file. */
interface Detail {
  folder: string
  ecosystem: Ecosystem
  /** Versions by package name. */
  versions?: Map<string, string>
  /** Packages by alias. */
  aliases?: Map<string, { name: string; version: string }>
}

const detailFiles: {
  name: RegExp
  ecosystem: Ecosystem
  folder: (path: string) => string
  read: (source: string) => Pick<Detail, 'versions' | 'aliases'>
}[] = [
  {
    name: /^Directory\.Packages\.props$/,
    ecosystem: 'nuget',
    folder: folderOf,
    read: (source) => ({ versions: parseCentralVersions(source) }),
  },
  {
    name: /^pnpm-workspace\.yaml$/,
    ecosystem: 'npm',
    folder: folderOf,
    read: (source) => ({ versions: parseCatalogs(source) }),
  },
  {
    name: /^(?:Gemfile|gems)\.(?:lock|locked)$/,
    ecosystem: 'rubygems',
    folder: folderOf,
    read: (source) => ({ versions: lockedGems(source) }),
  },
  {
    name: /^libs\.versions\.toml$/,
    ecosystem: 'maven',
    folder: (path) => folderOf(folderOf(path)),
    read: (source) => ({ aliases: parseCatalog(source) }),
  },
]

const anyDetailFile = anyOf(detailFiles.map(({ name }) => name))

function fillIn(manifests: Manifest[], details: Detail[]): void {
  const byFolder = Map.groupBy(details, ({ ecosystem, folder }) => `${ecosystem} ${folder}`)
  for (const manifest of manifests) {
    const near: Detail[] = []
    for (const folder of foldersAbove(manifest.path)) {
      near.push(...(byFolder.get(`${manifest.ecosystem} ${folder}`) ?? []))
      if (near.length >= maxDetails) break
    }
    manifest.dependencies = manifest.dependencies.flatMap((dependency) => {
      const resolved = near.map(({ aliases }) => aliases?.get(dependency.name)).find((found) => found !== undefined)
      if (!resolved && dependency.name.startsWith(catalogPrefix)) return []
      const { name, version } = resolved ?? dependency
      const known = near.map(({ versions }) => versions?.get(name)).find((found) => found !== undefined)
      const left = version === '' || version === 'catalog:'
      return [{ ...dependency, name, version: left ? (known ?? version) : version }]
    })
  }
}

function nameManagers(manifests: Manifest[], paths: Iterable<string>): void {
  const signs = new Map<string, string>()
  for (const path of paths) {
    const sign = managerFiles.get(baseName(path))
    // The first sign of a folder wins only over none: a lockfile is surer than what a package.json leaves open.
    if (sign) signs.set(`${sign[0]} ${folderOf(path)}`, signs.get(`${sign[0]} ${folderOf(path)}`) ?? sign[1])
  }
  for (const { path, ecosystem, manager } of manifests) {
    if (manager && ecosystem === 'npm') signs.set(`npm ${folderOf(path)}`, manager)
  }
  for (const manifest of manifests) {
    if (manifest.manager && manifest.manager !== 'pip') continue
    const found = foldersAbove(manifest.path).find((folder) => signs.has(`${manifest.ecosystem} ${folder}`))
    const sign = found === undefined ? undefined : signs.get(`${manifest.ecosystem} ${found}`)
    manifest.manager = sign ?? defaultManagers[manifest.ecosystem]
  }
}

function unique(dependencies: Dependency[]): Dependency[] {
  const seen = new Set<string>()
  return dependencies.filter(({ name, kind }) => {
    const key = `${kind} ${name}`
    return !seen.has(key) && seen.add(key)
  })
}

function byDepth(a: Manifest, b: Manifest): number {
  const depth = (path: string) => path.split('/').length
  const rank = (path: string) => formats.findIndex((format) => format === formatOf(path))
  const folders = folderOf(a.path) < folderOf(b.path) ? -1 : folderOf(a.path) > folderOf(b.path) ? 1 : 0
  return depth(a.path) - depth(b.path) || folders || rank(a.path) - rank(b.path) || (a.path < b.path ? -1 : 1)
}

/** UTF-8 without a byte order mark. */
function decoded(content: Buffer): string {
  return content.toString('utf8').replace(/^\ufeff/, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The folders that a file is in, the nearest first. Ends with the repository itself. */
function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let folder = folderOf(path); folder !== '' && folders.length < maxFolders; folder = folderOf(folder)) {
    folders.push(folder)
  }
  return [...folders, '']
}
