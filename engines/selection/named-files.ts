import type { ImportGraph } from '../analysis/graph/graph.ts'
import { ancestors, baseName, directoryOf, joinPath } from '../analysis/graph/paths.ts'
import type { SourceTree } from '../analysis/graph/source-tree.ts'
import { familyOf } from './languages.ts'

/** Files of one name; more say nothing about which of them is meant, unless folders are named too. */
const maxNamesakes = 30

/** Finds the files that literals of code name: programs that it starts, data that it reads, modules that it replaces. */
export class NamedFiles {
  readonly #tree: SourceTree
  readonly #byName = new Map<string, number[]>()
  /** Packages of Python that run as programs, by name. */
  readonly #programs = new Map<string, number[]>()

  constructor(tree: SourceTree) {
    this.#tree = tree
    for (const [id, { path }] of tree.files.entries()) {
      const name = baseName(path)
      push(this.#byName, name, id)
      if (name === '__main__.py') push(this.#programs, baseName(directoryOf(path)), id)
    }
  }

  *namedBy(from: number, literals: readonly string[], graph: ImportGraph): Iterable<number> {
    const file = this.#tree.files[from]
    const directory = directoryOf(file?.path ?? '')
    const family = familyOf(file?.language ?? '')
    const resolver = graph.resolvers.get(from)
    for (const literal of literals) {
      const dot = literal.indexOf('.')
      if (dot === -1 && !literal.includes('/')) {
        if (family === 'python') yield* this.#programs.get(literal) ?? []
        continue
      }
      // An alias is resolved like a relative path: `vi.importActual('@/price')`.
      if (family === 'javascript' && /^[.@~#]/.test(literal)) {
        const target = resolver?.resolve?.(from, literal)
        if (target !== undefined) yield target
      }
      if (family === 'python' && dot > 0 && /^[\w.]+$/.test(literal)) {
        const target = moduleIn(literal, (name) => resolver?.resolve?.(from, name))
        if (target !== undefined) yield target
      }
      yield* this.#atPath(literal, directory)
    }
  }

  /** Literals can be parts of a path. */
  *#atPath(literal: string, directory: string): Iterable<number> {
    const place = literal.startsWith('.') ? joinPath(directory, literal) : undefined
    const exact = place === undefined ? undefined : this.#tree.idOf(place)
    if (exact !== undefined) yield exact
    const end = literal.slice(literal.lastIndexOf('}') + 1).replace(/^(?:\.{0,2}\/)+/, '')
    const name = baseName(end)
    const namesakes = this.#byName.get(name) ?? []
    const isFull = end.includes('/')
    if (!isFull && namesakes.length > maxNamesakes) return
    for (const id of namesakes) {
      const path = this.#tree.pathOf(id)
      if (!isFull || path === end || path.endsWith(`/${end}`)) yield id
    }
  }
}

/** The longest beginning of a dotted name that is a module. */
function moduleIn(name: string, resolve: (name: string) => number | undefined): number | undefined {
  const parts = name.split('.').slice(0, 12)
  for (let length = parts.length; length > 0; length -= 1) {
    const found = resolve(parts.slice(0, length).join('.'))
    if (found !== undefined) return found
  }
  return undefined
}

function push<Key>(map: Map<Key, number[]>, key: Key, value: number): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}

/** Finds who reads files that are no code, by their names and the names of the folders that they are in. */
export class DataReaders {
  readonly #tree: SourceTree
  readonly #texts: ReadonlyMap<string, { literals: readonly string[]; listsFolders?: true }>
  #byPart: Map<string, number[]> | undefined

  constructor(tree: SourceTree, texts: ReadonlyMap<string, { literals: readonly string[]; listsFolders?: true }>) {
    this.#tree = tree
    this.#texts = texts
  }

  /** The files with a literal that ends with the name of the file. */
  namersOf(path: string): readonly number[] {
    return this.#parts().get(baseName(path)) ?? []
  }

  /** The code with a literal that contains the name of a folder around the file: of the innermost one that is named. */
  readersOfFolder(path: string): readonly number[] {
    for (const folder of directoryOf(path).split('/').toReversed()) {
      const readers = (this.#parts().get(folder) ?? []).filter((id) => isCode(this.#tree, id))
      if (folder !== '' && readers.length > 0) return readers
    }
    return []
  }

  /** The files that name a folder around the file and list folders. */
  listersOf(path: string): number[] {
    const folders = directoryOf(path).split('/').filter(Boolean)
    const found = folders.flatMap((folder) => this.#parts().get(folder) ?? [])
    return [...new Set(found)].filter((id) => this.#texts.get(this.#tree.pathOf(id))?.listsFolders)
  }

  #parts(): Map<string, number[]> {
    if (this.#byPart) return this.#byPart
    this.#byPart = new Map()
    const folders = new Set(this.#tree.files.flatMap(({ path }) => [...ancestors(directoryOf(path))]))
    for (const [id, { path }] of this.#tree.files.entries()) {
      const own = new Set<string>()
      // The module that an import names is no data, and the folders on its path are not read. Some name a folder.
      const specifiers = this.#tree.facts(id)?.imports.map(({ specifier }) => specifier) ?? []
      const imported = new Set(specifiers.filter((one) => !folders.has(joinPath(directoryOf(path), one) ?? '')))
      for (const literal of this.#texts.get(path)?.literals ?? []) {
        if (imported.has(literal)) continue
        for (const part of literal.split(/[/\\]/)) if (part !== '') own.add(part)
        if (/^[\w.]+$/.test(literal)) for (const part of literal.split('.')) if (part !== '') own.add(part)
      }
      for (const part of own) push(this.#byPart, part, id)
    }
    return this.#byPart
  }
}

const isCode = (tree: SourceTree, id: number) => familyOf(tree.files[id]?.language ?? '') !== undefined
