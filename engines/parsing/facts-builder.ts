import type { SymbolKind } from './schema.ts'
import { Receivers, type Root, unknown } from './receivers.ts'
import type { ExportFact, FileFacts, ImportFact, SymbolFact } from './types.ts'

const maxReferences = 2_000
const maxValues = 10_000
const maxBases = 20
/** Characters of a text that are searched for names. */
const maxTemplate = 20_000

/** A declaration whose body is about to be walked. */
export interface SymbolStart {
  /** The last segment of its qualified name. */
  name: string
  kind: SymbolKind
  startLine: number
  endLine: number
  /**
   * Whether the declaration itself is visible; an enclosing declaration may still hide it. A string is the
   * module-level name under which it has to turn out to be exported, for languages that export by name.
   */
  exported: boolean | string
  /** Not worth a symbol of its own unless it branches: nested functions, accessors. */
  onlyIfBranching?: boolean
  test?: boolean
  /** See `SymbolFact.implicit`. */
  implicit?: boolean
  /** See `SymbolFact.bases`. */
  bases?: readonly string[]
}

interface Scope {
  path: string
  exported: boolean | string
  test: boolean
  inFunction: boolean
  /** Null for scopes that only lend their name: namespaces, modules, object literals. */
  symbol: SymbolFact | null
  optional: boolean
}

/**
 * Collects the facts of one file while its tree is walked in source order.
 *
 * Complexity is cyclomatic: 1, plus one for each `if` and `else if`, loop (comprehensions too), `case`, `when` or
 * match arm that is not the catch-all, pattern guard, `catch`, `&&`, `||`, `??` (their assigning forms too) and
 * conditional expression. A branch counts to the innermost symbol around it, so that named nested functions keep
 * their branches to themselves and anonymous callbacks add theirs to the function that they are written in.
 * Statements count to every symbol around them.
 *
 * Lines run from the declaration's own first line, modifiers such as `export` or `public static` included, doc
 * comments, decorators, annotations and attributes not.
 */
export class FactsBuilder {
  namespace: string | undefined
  inlineTests = false
  syntaxErrors = false
  readonly imports: ImportFact[] = []

  readonly #symbols: { fact: SymbolFact; exported: boolean | string; kept: boolean }[] = []
  readonly #exports = new Map<string, ExportFact>()
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
  readonly #exportedNames = new Set<string>()
  readonly #mentions: ImportFact[] = []
  readonly #folders = new Set<string>()
  readonly #scopes: Scope[] = []
  /** On whose values members are called; undefined in languages of which the parser does not tell. */
  readonly receivers: Receivers | undefined
  /** Names that are used in ways that `receivers` does not know. */
  readonly #otherUses = new Set<string>()

  /** `globals` are the names that the language declares, for parsers that tell the receivers of calls. */
  constructor(globals?: ReadonlySet<string>) {
    this.receivers = globals && new Receivers(globals)
  }

  /** The scope around whatever is declared next. */
  get scope(): Readonly<Scope> | undefined {
    return this.#scopes.at(-1)
  }

  open(start: SymbolStart): void {
    const around = this.scope
    const fact: SymbolFact = {
      name: around ? `${around.path}.${start.name}` : start.name,
      kind: start.kind,
      startLine: start.startLine,
      endLine: start.endLine,
      complexity: 1,
      exported: false,
      statements: 0,
    }
    if (start.implicit === true) fact.implicit = true
    if (start.bases && start.bases.length > 0) fact.bases = start.bases.slice(0, maxBases)
    const test = start.test === true || around?.test === true
    if (test) fact.test = true
    const exported = narrow(around, start.exported)
    this.#symbols.push({ fact, exported, kept: true })
    this.#scopes.push({
      path: fact.name,
      exported,
      test,
      inFunction: start.kind !== 'class' || around?.inFunction === true,
      symbol: fact,
      optional: start.onlyIfBranching === true,
    })
  }

  /** Opens a scope that is no symbol itself but qualifies the names inside it. */
  openNamespace(name: string, exported: boolean | string, test = false): void {
    const around = this.scope
    this.#scopes.push({
      path: around ? `${around.path}.${name}` : name,
      exported: narrow(around, exported),
      test: test || around?.test === true,
      inFunction: around?.inFunction === true,
      symbol: null,
      optional: false,
    })
  }

  close(): void {
    const closed = this.#scopes.pop()
    if (!closed?.symbol) return
    const { symbol } = closed
    const around = this.#innermostSymbol()
    if (around) around.statements += symbol.statements
    if (!closed.optional || symbol.complexity > 1) return
    const listed = this.#symbols.findLast((entry) => entry.fact === symbol)
    if (listed) listed.kept = false
  }

  branch(count = 1): void {
    const symbol = this.#innermostSymbol()
    if (symbol) symbol.complexity += count
  }

  statement(count = 1): void {
    const symbol = this.#innermostSymbol()
    if (symbol) symbol.statements += count
  }

  /** Notes that the innermost symbol calls, constructs or extends something of this name. */
  reference(name: string): void {
    this.called(name)
    this.#otherUses.add(name)
    this.#refer(this.#innermostSymbol(), name)
  }

  /** The same for a name that is called by itself, not as a member. */
  bareReference(name: string): void {
    this.called(name)
    this.#refer(this.#innermostSymbol(), name)
  }

  /** Notes a call of a name that may be a variable, for `dispatch`. */
  called(name: string): void {
    this.#called.add(name)
  }

  /** The same for a member of a value. */
  memberReference(name: string, root: Root): void {
    this.receivers?.call(name, root)
    this.#refer(this.#innermostSymbol(), name)
  }

  /**
   * Notes that the innermost symbol uses something of this name as a value, such as a function that it hands on. Counts
   * as a reference if the file declares or imports something of this name. A `variable` is no method.
   */
  value(name: string, kind: 'any' | 'variable' = 'any'): void {
    if (this.#valueCount >= maxValues) return
    const symbol = this.#innermostSymbol()
    const names = this.#values.get(symbol) ?? new Map<string, boolean>()
    this.#values.set(symbol, names)
    const known = names.get(name)
    names.set(name, known === true || kind === 'any')
    if (known === undefined) this.#valueCount++
  }

  /** Notes a value as `value` does, or a reference if `root` is imported. */
  valueOf(name: string, root: string): void {
    this.value(name)
    if (this.#members.length < maxValues) this.#members.push({ symbol: this.#innermostSymbol(), name, root })
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
    const type = this.#innermostType()
    if (type === undefined) return
    const name = `${type}.${prefix}*`
    if (variable === undefined) this.reference(name)
    else if (this.#computed.length < maxValues) this.#computed.push({ symbol: this.#innermostSymbol(), variable, name })
  }

  /** Notes that the innermost symbol reads members of `object` by a computed name. */
  readTable(object: string): void {
    const symbol = this.#innermostSymbol()
    const tables = this.#tables.get(symbol)
    if (tables) tables.add(object)
    else this.#tables.set(symbol, new Set([object]))
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

  #referToValues(): void {
    const variables = new Set(this.imports.flatMap(({ names, locals }) => [...names, ...(locals ?? [])]))
    const methods = new Set<string>()
    for (const { fact } of this.#symbols) {
      const own = fact.name.slice(fact.name.lastIndexOf('.') + 1)
      if (fact.kind === 'method') methods.add(own)
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

  #referToComputed(): void {
    for (const { symbol, variable, name } of this.#computed) {
      if (!this.#called.has(variable)) continue
      this.#otherUses.add(name)
      this.#refer(symbol, name)
    }
  }

  #referToTables(): void {
    if (this.#tables.size === 0) return
    const types = new Set(this.#symbols.map(({ fact: { name } }) => name.slice(0, name.lastIndexOf('.'))))
    for (const [symbol, names] of this.#tables) {
      for (const name of names) if (types.has(name)) this.#refer(symbol, `${name}.*`)
    }
  }

  mention(fact: ImportFact): void {
    this.#mentions.push(fact)
  }

  loadsFrom(folder: string): void {
    this.#folders.add(folder)
  }

  import(fact: ImportFact): void {
    this.imports.push(fact)
  }

  /** The same for an import whose names only the function around it sees, if there is one. */
  localImport(fact: ImportFact): void {
    const around = this.scope?.inFunction === true ? this.#innermostSymbol() : undefined
    this.import(around ? { ...fact, within: around.name } : fact)
  }

  export(fact: ExportFact): void {
    const key = fact.name === '*' ? `* ${fact.from}` : fact.name
    if (!this.#exports.has(key)) this.#exports.set(key, fact)
  }

  /** Says that the module-level name is exported, under whatever name. */
  exportName(local: string): void {
    this.#exportedNames.add(local)
  }

  finish(): FileFacts {
    this.#referToValues()
    this.#referToMembers()
    this.#referToTables()
    this.#referToComputed()
    const symbols: SymbolFact[] = []
    for (const { fact, exported, kept } of this.#symbols) {
      if (!kept) continue
      const used = this.#used.get(fact)
      if (used) fact.references = [...used]
      fact.exported = typeof exported === 'string' ? this.#exportedNames.has(exported) : exported
      symbols.push(fact)
    }
    const facts: FileFacts = {
      symbols,
      imports: this.imports,
      exports: [...this.#exports.values()],
      references: [...this.#references.keys()],
    }
    const receivers = this.#receivers()
    if (receivers) facts.receivers = receivers
    if (this.namespace !== undefined) facts.namespace = this.namespace
    if (this.inlineTests) facts.inlineTests = true
    if (this.#mentions.length > 0) facts.mentions = this.#mentions
    if (this.#folders.size > 0) facts.loadsFrom = [...this.#folders]
    if (this.syntaxErrors) facts.syntaxErrors = true
    return facts
  }

  #receivers(): (string[] | null)[] | undefined {
    const { receivers } = this
    if (!receivers || this.#references.size === 0) return undefined
    return [...this.#references.keys()].map((name) => {
      const origins = receivers.origins(name)
      // A function that is called by itself may be one of the members that are called so, too.
      const isBare = origins.length > 0 && this.#called.has(name)
      if ((isBare || this.#otherUses.has(name)) && !origins.includes(unknown)) origins.push(unknown)
      return origins.length === 1 && origins[0] === unknown ? null : origins
    })
  }

  /** The path of the class or object that the code belongs to. */
  #innermostType(): string | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index -= 1) {
      const { path, symbol } = this.#scopes[index] ?? {}
      if (path === undefined) continue
      if (!symbol || symbol.kind === 'class') return path
      if (symbol.kind === 'method' && path.includes('.')) return path.slice(0, path.lastIndexOf('.'))
    }
    return undefined
  }

  #innermostSymbol(): SymbolFact | undefined {
    for (let index = this.#scopes.length - 1; index >= 0; index -= 1) {
      const symbol = this.#scopes[index]?.symbol
      if (symbol) return symbol
    }
    return undefined
  }
}

/** A declaration is visible no further than what encloses it; nothing inside a function is. */
function narrow(around: Readonly<Scope> | undefined, exported: boolean | string): boolean | string {
  if (!around) return exported
  if (around.symbol && around.symbol.kind !== 'class') return false
  if (exported === false || around.exported === false) return false
  return around.exported
}
