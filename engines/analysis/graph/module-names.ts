/** A name as the file that declares it calls it; `*` is the module as a whole. */
export interface Declared {
  file: number
  name: string
}

/** How the modules of one language family make names available. Answers may be recomputed: they are not kept. */
export interface ModuleFacts {
  /** Names that importers of the module can ask for, without those of its stars. */
  provides(file: number): Iterable<string>
  /** The module's own name for one of these, where it declares it itself. */
  declared(file: number, name: string): string | undefined
  /** Where one of these comes from when the module only hands it on. */
  handedOn(file: number, name: string): readonly Declared[]
  /** Modules all of whose names it hands on. */
  stars(file: number): readonly number[]
}

/** Longest chain of modules handing a name on that is still followed. */
const maxHops = 64
/** A name that stars bring in from more modules than this means none of them in particular. */
const maxProviders = 16
/** Modules remembered over all stars together: bounds memory on a repository made of barrels. */
const maxStarEntries = 2_000_000

/** Follows names through barrels to the files that declare them. */
export class ModuleNames {
  readonly #facts: ModuleFacts
  readonly #providers = new Map<string, number[]>()
  readonly #behindStars = new Map<number, ReadonlySet<number>>()
  readonly #known = new Map<number, Map<string, readonly Declared[]>>()
  #starEntries = 0

  constructor(facts: ModuleFacts, files: Iterable<number>) {
    this.#facts = facts
    for (const file of files) {
      for (const name of facts.provides(file)) {
        const providers = this.#providers.get(name)
        if (providers) providers.push(file)
        else this.#providers.set(name, [file])
      }
    }
  }

  /** Where `name`, asked of `file`, is declared. Empty when the module does not have it. */
  find(file: number, name: string): readonly Declared[] {
    const own = this.#facts.declared(file, name)
    if (own !== undefined) return [{ file, name: own }]
    const known = this.#known.get(file)
    const remembered = known?.get(name)
    if (remembered) return remembered
    if (!this.#providers.has(name)) return []
    const found = this.#search(file, name)
    if (known) known.set(name, found)
    else this.#known.set(file, new Map([[name, found]]))
    return found
  }

  /** Where those of `names` that `file` has are declared: what importers of a whole module use of it. */
  *findAll(file: number, names: ReadonlySet<string>): Iterable<Declared> {
    const isComplete = this.#facts.stars(file).length === 0
    const provided = isComplete ? [...this.#facts.provides(file)] : undefined
    if (provided && provided.length < names.size) {
      for (const name of provided) if (names.has(name)) yield* this.find(file, name)
    } else {
      for (const name of names) yield* this.find(file, name)
    }
  }

  /** Modules whose names `file` hands on by stars, over any number of steps. */
  #starsOf(file: number): ReadonlySet<number> {
    const known = this.#behindStars.get(file)
    if (known) return known
    const reached = new Set<number>()
    const queue = [file]
    for (const next of queue) {
      for (const star of this.#facts.stars(next)) {
        if (star === file || reached.has(star) || this.#starEntries >= maxStarEntries) continue
        reached.add(star)
        queue.push(star)
        this.#starEntries += 1
      }
    }
    this.#behindStars.set(file, reached)
    return reached
  }

  #search(file: number, name: string): Declared[] {
    const found = new Map<string, Declared>()
    const visited = new Set<string>()
    let open: Declared[] = [{ file, name }]
    for (let hop = 0; open.length > 0 && hop < maxHops; hop += 1) {
      const next: Declared[] = []
      for (const wanted of open) {
        const key = `${wanted.file} ${wanted.name}`
        if (visited.has(key)) continue
        visited.add(key)
        const own = wanted.name === '*' ? '*' : this.#facts.declared(wanted.file, wanted.name)
        if (own !== undefined) {
          found.set(`${wanted.file} ${own}`, { file: wanted.file, name: own })
          continue
        }
        const handedOn = this.#facts.handedOn(wanted.file, wanted.name)
        for (const further of handedOn.length > 0 ? handedOn : this.#starProviders(wanted)) next.push(further)
      }
      open = next
    }
    return [...found.values()]
  }

  #starProviders({ file, name }: Declared): Declared[] {
    // A star hands no default export on, but in `module.exports = require(…)`, which is all that such a module does.
    if (name === 'default') {
      const [only, ...others] = this.#facts.stars(file)
      const isAlone = only !== undefined && others.length === 0 && isEmpty(this.#facts.provides(file))
      return isAlone ? [{ file: only, name }] : []
    }
    const behind = this.#starsOf(file)
    if (behind.size === 0) return []
    const providers = this.#providers.get(name) ?? []
    const hits =
      providers.length <= behind.size
        ? providers.filter((provider) => behind.has(provider))
        : [...behind].filter((module) => this.#provides(module, name))
    return hits.slice(0, maxProviders).map((hit) => ({ file: hit, name }))
  }

  #provides(file: number, name: string): boolean {
    return this.#facts.declared(file, name) !== undefined || this.#facts.handedOn(file, name).length > 0
  }
}

function isEmpty(names: Iterable<string>): boolean {
  for (const _ of names) return false
  return true
}
