import type { SymbolKind } from './schema.ts'
import type { ExportFact, FileFacts, ImportFact, SymbolFact } from './types.ts'
import { Uses } from './uses.ts'

const maxBases = 20

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
  readonly #exportedNames = new Set<string>()
  readonly #mentions: ImportFact[] = []
  readonly #folders = new Set<string>()
  readonly #scopes: Scope[] = []
  /** The names that the file uses. */
  readonly uses: Uses

  /** `globals` are the names that the language declares, for parsers that tell the receivers of calls. */
  constructor(globals?: ReadonlySet<string>) {
    const place = { innermostSymbol: () => this.#innermostSymbol(), innermostType: () => this.#innermostType() }
    this.uses = new Uses(place, globals)
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
    const { uses } = this
    uses.finish(
      this.#symbols.map(({ fact }) => fact),
      this.imports,
    )
    const symbols: SymbolFact[] = []
    for (const { fact, exported, kept } of this.#symbols) {
      if (!kept) continue
      const used = uses.of(fact)
      if (used) fact.references = used
      fact.exported = typeof exported === 'string' ? this.#exportedNames.has(exported) : exported
      symbols.push(fact)
    }
    const facts: FileFacts = {
      symbols,
      imports: this.imports,
      exports: [...this.#exports.values()],
      references: uses.names,
    }
    const receivers = uses.origins()
    if (receivers) facts.receivers = receivers
    if (this.namespace !== undefined) facts.namespace = this.namespace
    if (this.inlineTests) facts.inlineTests = true
    if (this.#mentions.length > 0) facts.mentions = this.#mentions
    if (this.#folders.size > 0) facts.loadsFrom = [...this.#folders]
    if (this.syntaxErrors) facts.syntaxErrors = true
    return facts
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
