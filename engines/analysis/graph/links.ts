import type { SourceTree } from './source-tree.ts'

/** What one file uses of another. */
export interface Link {
  to: number
  /** Names that the file uses and the target declares. Empty where the file only loads it. */
  names: ReadonlySet<string>
  /** Those of the names that the file refers to: an import alone uses nothing. */
  used: ReadonlySet<string>
  /** The names that the file imports only inside of functions, with these functions. */
  within?: ReadonlyMap<string, ReadonlySet<string>>
  /** Only types cross it: nothing runs because of it. */
  typeOnly: boolean
  /** The file hands the names on to its own importers and does not use them itself. */
  passesOn: boolean
}

export interface LinkMode {
  typeOnly?: boolean | undefined
  passesOn?: boolean | undefined
  /** False for names that the file imports and refers to nowhere. */
  isUsed?: boolean | undefined
  /** The function that the import is written in. */
  within?: string | undefined
}

interface OpenLink extends Link {
  names: Set<string>
  used: Set<string>
  within?: Map<string, Set<string>>
}

/** Gathers the links of one file: several imports of the same target become one link. */
export class LinkCollector {
  readonly from: number
  readonly #links = new Map<number, OpenLink>()

  constructor(from: number) {
    this.from = from
  }

  add(to: number, names: Iterable<string>, mode: LinkMode = {}): void {
    if (to === this.from) return
    const typeOnly = mode.typeOnly === true
    const passesOn = mode.passesOn === true
    let link = this.#links.get(to)
    if (!link) {
      link = { to, names: new Set(), used: new Set(), typeOnly, passesOn }
      this.#links.set(to, link)
    }
    for (const name of names) {
      limitTo(link, name, mode.within)
      link.names.add(name)
      if (mode.isUsed !== false) link.used.add(name)
    }
    link.typeOnly &&= typeOnly
    link.passesOn &&= passesOn
  }

  finish(): Link[] {
    return [...this.#links.values()]
  }
}

/** Notes in which functions a name is imported; without one, the whole file sees it. */
function limitTo(link: OpenLink, name: string, within: string | undefined): void {
  const known = link.within?.get(name)
  if (within === undefined) link.within?.delete(name)
  else if (known) known.add(within)
  else if (!link.names.has(name)) {
    link.within ??= new Map()
    link.within.set(name, new Set([within]))
  }
}

/** Resolution for one family of languages. */
export interface Resolver {
  /** Adds everything that the collector's file uses of other files. */
  link(links: LinkCollector): void
  /** The file of the repository that a specifier in another one means; left out where imports name no files. */
  resolve?(from: number, specifier: string): number | undefined
}

export interface ResolverFamily {
  languages: readonly string[]
  /** `files` are those of these languages that have facts. */
  create(tree: SourceTree, files: readonly number[]): Resolver
}
