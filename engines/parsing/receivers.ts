/** Where a value comes from, as far as its expression says: a variable, a module, or the language itself. */
export type Root = { name: string } | { module: string } | 'language' | 'own object' | undefined

/** Stands for values of the language, its globals and literals. */
export const language = ''
/** Stands for the object whose method makes the call: `this` and `self`. */
export const ownObject = '*'
/** Stands for values of which the file does not tell where they come from. */
export const unknown = '?'

const maxSteps = 5
const maxOrigins = 10

/** Finds out on whose values a file calls members: it follows variables back to the modules that are imported. */
export class Receivers {
  readonly #globals: ReadonlySet<string>
  readonly #modules = new Map<string, string>()
  readonly #variables = new Map<string, Root[]>()
  readonly #calls = new Map<string, Root[]>()

  /** `globals` are names that the language declares, unless the file does. */
  constructor(globals: ReadonlySet<string>) {
    this.#globals = globals
  }

  /** Notes that a name of the file is a module, or comes from one. */
  import(name: string, module: string): void {
    this.#modules.set(name, module)
  }

  isImported(name: string): boolean {
    return this.#modules.has(name)
  }

  /** Notes a value that a variable, parameter or property of the own object gets. */
  assign(name: string, root: Root): void {
    push(this.#variables, name, root)
  }

  /** Notes a call of a member. */
  call(member: string, root: Root): void {
    push(this.#calls, member, root)
  }

  /**
   * Specifiers of the modules on whose values the file calls a member of this name; `language`, `ownObject` and `unknown`
   * stand for other values. Empty where it calls no member of that name.
   */
  origins(member: string): string[] {
    const found = new Set<string>()
    for (const root of this.#calls.get(member) ?? []) this.#trace(root, maxSteps, found)
    return [...found]
  }

  #trace(root: Root, steps: number, found: Set<string>): void {
    if (root === 'language') found.add(language)
    else if (root === 'own object') found.add(ownObject)
    else if (root && 'module' in root) found.add(root.module)
    else if (root && steps > 0) {
      const module = this.#modules.get(root.name)
      const assigned = this.#variables.get(root.name)
      if (module !== undefined) found.add(module)
      for (const value of assigned ?? []) this.#trace(value, steps - 1, found)
      if (module === undefined && !assigned) found.add(this.#globals.has(root.name) ? language : unknown)
    } else found.add(unknown)
  }
}

function push(lists: Map<string, Root[]>, name: string, root: Root): void {
  const list = lists.get(name)
  if (!list) lists.set(name, [root])
  // Beyond that, something of it is not known.
  else if (list.length < maxOrigins) list.push(root)
  else list[0] = undefined
}
