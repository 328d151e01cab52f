import { Receivers, type Root, unknown } from './receivers.ts'
import type { ImportFact, SymbolFact } from './types.ts'

const maxReferences = 2_000
const maxValues = 10_000
/** Characters of a text that are searched for names. */
const maxTemplate = 20_000

/** Where the walk through the file is. */
export interface Place {
  /** The symbol that the code belongs to; undefined for the module. */
  innermostSymbol(): SymbolFact | undefined
  /** The path of the class or object that the code belongs to. */
  innermostType(): string | undefined
}

/** Collects the names that a file uses, and the symbols that use them, while its tree is walked. */
export class Uses {
  readonly #place: Place
  /** Names with their positions. */
  readonly #references = new Map<string, number>()
  readonly #used = new Map<SymbolFact, Set<number>>()
  /** Names that are used as values by a symbol or the module, which may be functions, and whether these may be methods. */
  readonly #values = new Map<SymbolFact | undefined, Map<string, boolean>>()
  #valueCount = 0
  /** Values that are members of something. */
  readonly #members: { symbol: SymbolFact | undefined; name: string; root: string }[] = []
  /** Names of variables and parameters; undefined in languages whose files see only what they import. */
  #locals: Set<string> | undefined
  /** Names that only mean functions of the file itself. */
  readonly #symbolic = new Set<string>()
  /** Objects whose members are read by computed names. */
  readonly #tables = new Map<SymbolFact | undefined, Set<string>>()
  /** Variables that hold a member of the own type that is read by a computed name. */
  readonly #computed: { symbol: SymbolFact | undefined; variable: string; name: string }[] = []
  /** Names that are called by themselves, or with `call`, `apply` or `bind`. */
  readonly #called = new Set<string>()
  /** On whose values members are called; undefined in languages of which the parser does not tell. */
  readonly receivers: Receivers | undefined
  /** Names that are used in ways that `receivers` does not know. */
  readonly #otherUses = new Set<string>()

  /** `globals` are the names that the language declares, for parsers that tell the receivers of calls. */
  constructor(place: Place, globals?: ReadonlySet<string>) {
    this.#place = place
    this.receivers = globals && new Receivers(globals)
  }

  /** Notes that the innermost symbol calls, constructs or extends something of this name. */
  reference(name: string): void {
    this.called(name)
    this.#otherUses.add(name)
    this.#refer(this.#place.innermostSymbol(), name)
  }

  /** The same for a name that is called by itself, not as a member. */
  bareReference(name: string): void {
    this.called(name)
    this.#refer(this.#place.innermostSymbol(), name)
  }

  /** Notes a call of a name that may be a variable, for `dispatch`. */
  called(name: string): void {
    this.#called.add(name)
  }

  /** The same for a member of a value. */
  memberReference(name: string, root: Root): void {
    this.receivers?.call(name, root)
    this.#refer(this.#place.innermostSymbol(), name)
  }

  /**
   * Notes that the innermost symbol uses something of this name as a value, such as a function that it hands on. Counts
   * as a reference if the file declares or imports something of this name. A `variable` is no method.
   */
  value(name: string, kind: 'any' | 'variable' = 'any'): void {
    if (this.#valueCount >= maxValues) return
    const symbol = this.#place.innermostSymbol()
    const names = this.#values.get(symbol) ?? new Map<string, boolean>()
    this.#values.set(symbol, names)
    const known = names.get(name)
    names.set(name, known === true || kind === 'any')
    if (known === undefined) this.#valueCount++
  }

  /** Notes a value as `value` does, or a reference if `root` is imported. */
  valueOf(name: string, root: string): void {
    this.value(name)
    if (this.#members.length < maxValues) this.#members.push({ symbol: this.#place.innermostSymbol(), name, root })
  }

  /** Notes the members that a template in a text reads: `{{ user.name }}`. */
  template(text: string): void {
    if (!text.includes('{{') && !text.includes('{%')) return
    for (const [part] of text.slice(0, maxTemplate).matchAll(/\{[{%][^{}]*[}%]\}/g)) {
      for (const [, name = ''] of part.matchAll(/\.(\w+)/g)) this.reference(name)
    }
  }

  /** Notes a text that may be the name of a function of this file. */
  symbolic(name: string): void {
    this.#symbolic.add(name)
    this.value(name)
  }

  /**
   * Notes a name that a variable or parameter has. In a file with such names, values of all other names may be functions
   * that a neighbor file declares without an import.
   */
  local(name: string): void {
    this.#locals ??= new Set()
    this.#locals.add(name)
  }

  /**
   * Notes that the innermost symbol calls a member of its own type whose name starts with `prefix`. With `variable`, only
   * if the file calls the variable of this name, which holds the member.
   */
  dispatch(prefix: string, variable?: string): void {
    const type = this.#place.innermostType()
    if (type === undefined) return
    const name = `${type}.${prefix}*`
    if (variable === undefined) this.reference(name)
    else if (this.#computed.length < maxValues) {
      this.#computed.push({ symbol: this.#place.innermostSymbol(), variable, name })
    }
  }

  /** Notes that the innermost symbol reads members of `object` by a computed name. */
  readTable(object: string): void {
    const symbol = this.#place.innermostSymbol()
    const tables = this.#tables.get(symbol)
    if (tables) tables.add(object)
    else this.#tables.set(symbol, new Set([object]))
  }

  /** Decides which values are references, once everything that the file declares and imports is known. */
  finish(symbols: readonly SymbolFact[], imports: readonly ImportFact[]): void {
    this.#referToValues(symbols, imports)
    this.#referToMembers()
    this.#referToTables(symbols)
    this.#referToComputed()
  }

  get names(): string[] {
    return [...this.#references.keys()]
  }

  /** The positions in `names` of those that a symbol uses; undefined if there are none. */
  of(symbol: SymbolFact): number[] | undefined {
    const used = this.#used.get(symbol)
    return used && [...used]
  }

  /** For each of `names`, the origins of the values of which a member of this name is called; see `FileFacts.receivers`. */
  origins(): (string[] | null)[] | undefined {
    const { receivers } = this
    if (!receivers || this.#references.size === 0) return undefined
    return this.names.map((name) => {
      const origins = receivers.origins(name)
      // A function that is called by itself may be one of the members that are called so, too.
      const isBare = origins.length > 0 && this.#called.has(name)
      if ((isBare || this.#otherUses.has(name)) && !origins.includes(unknown)) origins.push(unknown)
      return origins.length === 1 && origins[0] === unknown ? null : origins
    })
  }

  #refer(symbol: SymbolFact | undefined, name: string): void {
    let position = this.#references.get(name)
    if (position === undefined) {
      if (this.#references.size >= maxReferences) return
      position = this.#references.size
      this.#references.set(name, position)
    }
    if (!symbol) return
    const used = this.#used.get(symbol)
    if (used) used.add(position)
    else this.#used.set(symbol, new Set([position]))
  }

  #referToValues(symbols: readonly SymbolFact[], imports: readonly ImportFact[]): void {
    const variables = new Set(imports.flatMap(({ names, locals }) => [...names, ...(locals ?? [])]))
    const methods = new Set<string>()
    for (const { name, kind } of symbols) {
      const own = name.slice(name.lastIndexOf('.') + 1)
      if (kind === 'method') methods.add(own)
      else variables.add(own)
    }
    for (const [symbol, names] of this.#values) {
      for (const [name, isAny] of names) {
        if (
          variables.has(name) ||
          (isAny && methods.has(name)) ||
          (this.#locals?.has(name) === false && !this.#symbolic.has(name))
        ) {
          this.#otherUses.add(name)
          this.#refer(symbol, name)
        }
      }
    }
  }

  #referToMembers(): void {
    for (const { symbol, name, root } of this.#members) {
      if (!this.receivers?.isImported(root)) continue
      this.#otherUses.add(name)
      this.#refer(symbol, name)
    }
  }

  #referToTables(symbols: readonly SymbolFact[]): void {
    if (this.#tables.size === 0) return
    const types = new Set(symbols.map(({ name }) => name.slice(0, name.lastIndexOf('.'))))
    for (const [symbol, names] of this.#tables) {
      for (const name of names) if (types.has(name)) this.#refer(symbol, `${name}.*`)
    }
  }

  #referToComputed(): void {
    for (const { symbol, variable, name } of this.#computed) {
      if (!this.#called.has(variable)) continue
      this.#otherUses.add(name)
      this.#refer(symbol, name)
    }
  }
}
