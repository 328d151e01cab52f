import { ancestors, baseName, directoryOf } from '../analysis/graph/paths.ts'
import { type Dependencies, mockedBy } from './dependencies.ts'
import { decidesOnAll, isWithoutEffect, ownersOfSnapshot } from './file-kinds.ts'
import { familyOf, familyOfPath } from './languages.ts'
import { DataReaders } from './named-files.ts'
import type { SelectionInput } from './types.ts'

export interface Seeds {
  /** Files and packages that changed or lost something, each with the path that explains it. */
  changed: ReadonlyMap<number, string>
  /** Why every test runs. */
  whyAll: string | undefined
  /** Whether code or data changed, which modules of unknown names may load. */
  hasEffect: boolean
}

/** Finds where the change touches the dependencies. */
export function findSeeds(
  { changes, tree, texts, links }: Pick<SelectionInput, 'changes' | 'tree' | 'texts' | 'links'>,
  { packages, dependents }: Dependencies,
): Seeds {
  const changed = new Map<number, string>()
  const readers = new DataReaders(tree, texts)
  const seed = (id: number | undefined, path: string) => {
    if (id !== undefined && !changed.has(id)) changed.set(id, path)
    return id !== undefined
  }
  let whyAll: string | undefined
  let hasEffect = false
  const present = [...changes.changed.keys(), ...changes.added]
  const gone = [...changes.gone].filter((path) => tree.idOf(path) === undefined)
  const goneCode: string[] = []

  for (const path of [...present, ...gone].toSorted()) {
    for (const [name, link] of namesThrough(links, path)) {
      const whyLinked = decidesOnAll(name)
      if (whyLinked !== undefined) whyAll ??= `${name}, through which ${path} is read, ${whyLinked}`
      hasEffect = true
      for (const reader of [...readers.namersOf(name), ...readers.listersOf(name)]) seed(reader, path)
      seed(mockedBy(tree, name), path)
      seed(packages.testsIn(directoryOf(name)), path)
      seed(packages.packageIn(directoryOf(name)), path)
      seed(tree.idOf(link), path)
    }
    const why = decidesOnAll(path)
    if (why !== undefined) {
      whyAll ??= `${path} ${why}`
      continue
    }
    const id = tree.idOf(path)
    const tags = (id === undefined ? undefined : tree.files[id]?.tags) ?? []
    if (tags.includes('submodule') || tags.includes('symlink')) {
      whyAll ??= `${path} is a ${tags.includes('submodule') ? 'submodule' : 'symbolic link'}`
      continue
    }
    const family = id === undefined ? familyOfPath(path) : familyOf(tree.files[id]?.language ?? '')
    if (family === 'go') {
      hasEffect = true
      const directory = directoryOf(path)
      seed(path.endsWith('_test.go') ? packages.testsIn(directory) : packages.packageIn(directory), path)
      seed(id, path)
    } else if (family !== undefined) {
      if (isWithoutEffect(path) && id !== undefined && dependents[id]?.length === 0 && !tags.includes('test')) continue
      hasEffect = true
      if (id === undefined) goneCode.push(path)
      seed(id, path)
      seed(mockedBy(tree, path), path)
      if (/(?:^|\/)__mocks__\//.test(path) && mockedBy(tree, path) === undefined)
        whyAll ??= `${path} replaces a package in every test`
      if (/\.d\.[cm]?ts$/.test(path) && (id === undefined || dependents[id]?.length === 0))
        whyAll ??= `${path} declares types that no file imports`
      if (id === undefined || dependents[id]?.length === 0)
        for (const reader of readers.listersOf(path)) seed(reader, path)
      if (id === undefined) for (const reader of readers.namersOf(path)) seed(reader, path)
      if (id !== undefined && !tree.facts(id) && !tags.includes('generated') && !tags.includes('vendored'))
        whyAll ??= `${path} was not parsed`
    } else whyAll = seedData(path, id) ?? whyAll
  }
  for (const [id, path] of importersOfGone(tree, goneCode)) seed(id, path)
  return { changed, whyAll, hasEffect }

  function seedData(path: string, id: number | undefined): string | undefined {
    const owners = ownersOfSnapshot(path)
    if (owners) {
      hasEffect = true
      const known = owners.filter((owner) => tree.idOf(owner) !== undefined)
      for (const owner of known) seed(tree.idOf(owner), path)
      if (known.length > 0 || (id === undefined && owners.some((owner) => changes.gone.has(owner)))) return undefined
      return `${path} is a snapshot of no test file`
    }
    const namers = readers.namersOf(path)
    for (const reader of namers) seed(reader, path)
    const isQuiet = isWithoutEffect(path)
    const folder = isQuiet ? readers.listersOf(path) : [...readers.readersOfFolder(path), ...readers.listersOf(path)]
    for (const reader of folder) seed(reader, path)
    if (!isQuiet || namers.length > 0) hasEffect = true
    const imported = id !== undefined && (dependents[id]?.length ?? 0) > 0
    if (imported) seed(id, path)
    if (isQuiet) return undefined
    const owner = packages.ownerOf(path)
    // A program of Go embeds files of its own folder and those below.
    if (owner !== undefined && (owner !== '' || namers.length > 0 || path.startsWith('testdata/'))) {
      const isOfTests = /(?:^|\/)testdata\//.test(path.slice(owner === '' ? 0 : owner.length + 1))
      seed(isOfTests ? packages.testsIn(owner) : packages.packageIn(owner), path)
      return undefined
    }
    return namers.length > 0 || folder.length > 0 || imported ? undefined : `no file names ${path}`
  }
}

/** Files that import something called like a file that is gone. */
function importersOfGone(tree: SelectionInput['tree'], gone: readonly string[]): Map<number, string> {
  const byStem = new Map<string, string>()
  for (const path of gone) {
    const stem = baseName(path).replace(/(?:\.d)?\.\w+$/, '')
    byStem.set(stem, path)
    const [folder = ''] = ancestors(directoryOf(path))
    if ((stem === 'index' || stem === '__init__') && folder !== '') byStem.set(baseName(folder), path)
  }
  const found = new Map<number, string>()
  if (byStem.size === 0) return found
  for (const id of tree.files.keys()) {
    for (const { specifier, names } of tree.facts(id)?.imports ?? []) {
      const last = specifier.slice(specifier.lastIndexOf('/') + 1)
      const words = [last, last.replace(/\.\w+$/, ''), last.slice(last.lastIndexOf('.') + 1), ...names]
      const path = words.map((word) => byStem.get(word)).find((one) => one !== undefined)
      if (path !== undefined) found.set(id, path)
    }
  }
  // A conftest.py or __init__.py that is gone was loaded with all files around it.
  for (const path of gone) {
    if (!/^(?:conftest|__init__)\.py$/.test(baseName(path))) continue
    const directory = directoryOf(path)
    for (const [id, file] of tree.files.entries()) {
      const isBelow = directory === '' || file.path.startsWith(`${directory}/`)
      if (isBelow && file.path.endsWith('.py')) found.set(id, path)
    }
  }
  return found
}

/** Links can lead into themselves. */
const maxNames = 100

/** The paths under which symbolic links lead to a file, each with its link. */
function namesThrough(links: ReadonlyMap<string, string>, path: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const names = [path]
  for (const name of names) {
    for (const [link, target] of links) {
      const inside = target === '' ? '' : `${target}/`
      if (name !== target && !name.startsWith(inside)) continue
      const other = name === target ? link : `${link}/${name.slice(inside.length)}`
      if (found.size >= maxNames || found.has(other)) continue
      found.set(other, link)
      names.push(other)
    }
  }
  return found
}
