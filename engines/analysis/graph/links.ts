import type { SourceTree } from './source-tree.ts'

/** What one file uses of another. */
export interface Link {
  to: number
  /** Names that the file uses and the target declares. Empty where the file only loads it. */
  names: ReadonlySet<string>
  /** Only types cross it: nothing runs because of it. */
  typeOnly: boolean
  /** The file hands the names on to its own importers and does not use them itself. */
  passesOn: boolean
}

export interface LinkMode {
  typeOnly?: boolean | undefined
  passesOn?: boolean | undefined
}

/** Gathers the links of one file: several imports of the same target become one link. */
export class LinkCollector {
  readonly from: number
  readonly #links = new Map<number, { to: number; names: Set<string>; typeOnly: boolean; passesOn: boolean }>()

  constructor(from: number) {
    this.from = from
  }

  add(to: number, names: Iterable<string>, mode: LinkMode = {}): void {
    if (to === this.from) return
    const typeOnly = mode.typeOnly === true
    const passesOn = mode.passesOn === true
    let link = this.#links.get(to)
    if (!link) {
      link = { to, names: new Set(), typeOnly, passesOn }
      this.#links.set(to, link)
    }
    for (const name of names) link.names.add(name)
    link.typeOnly &&= typeOnly
    link.passesOn &&= passesOn
  }

  finish(): Link[] {
    return [...this.#links.values()]
  }
}

/** Resolution for one family of languages. */
export interface Resolver {
  /** Adds everything that the collector's file uses of other files. */
  link(links: LinkCollector): void
}

export interface ResolverFamily {
  languages: readonly string[]
  /** `files` are those of these languages that have facts. */
  create(tree: SourceTree, files: readonly number[]): Resolver
}
