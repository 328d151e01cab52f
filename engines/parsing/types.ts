import type { SymbolKind } from './schema.ts'

/** What one file declares and refers to; everything that ranking needs, and nothing that depends on its path. */
export interface FileFacts {
  symbols: SymbolFact[]
  imports: ImportFact[]
  /** Names that other files can import from this one; `default` for a default export. */
  exports: ExportFact[]
  /** Java package, C# or PHP namespace, Go package clause, Ruby or Rust module where the file states one. */
  namespace?: string
  /**
   * Distinct identifiers that the file calls, constructs or extends, and those of its own and imported functions that it
   * uses as values; at most 2,000. A name that ends in `*` stands for members that are called by a computed name:
   * `Parser.visit*`.
   */
  references: string[]
  /**
   * For each of the references, where the values come from that the file calls members of this name on: the specifiers of
   * imports, `''` for the language itself, `*` for `this`, `?` for unknown. Empty for names that are no members; null for nothing but
   * unknown. Left out where the parser does not tell.
   */
  receivers?: (string[] | null)[]
  /** The file holds tests inline (Rust `#[cfg(test)]`, Python doctests are not counted). */
  inlineTests?: boolean
  /** Modules that types and comments mention. */
  mentions?: ImportFact[]
  /** Folders, relative to the file, of which it loads files by a computed path: `.` for `./${name}.js`. */
  loadsFrom?: string[]
  /** The parser found syntax errors; facts cover what it could read. */
  syntaxErrors?: boolean
}

export interface SymbolFact {
  /** Qualified inside the file: `Class.method`, `outer`. */
  name: string
  kind: SymbolKind
  startLine: number
  endLine: number
  complexity: number
  exported: boolean
  /** Statements in the body, nested functions included; 0 for declarations without code. */
  statements: number
  /** True inside inline test code. */
  test?: boolean
  /** Runs without a call that names it: accessors, and functions that a decorator hands on. */
  implicit?: boolean
  /** What a class extends, implements or mixes in: the last parts of the names, at most 20. */
  bases?: string[]
  /**
   * Positions in the file's `references` of the names that its own body uses; symbols inside it list their own. Left
   * out where the parser does not tell, or there are none.
   */
  references?: number[]
}

export interface ImportFact {
  /**
   * As written: `./a`, `react`, `os.path`, `github.com/x/y`, `crate::a::b`, `App\Models\User`. `./plugins/*` stands for
   * a path of which only the beginning is known.
   */
  specifier: string
  /** Imported names; `*` for the whole module, `default` for its default export. Empty for a bare import. */
  names: string[]
  /** What the file calls each of these, if it renames one or imports a module or default export. */
  locals?: string[]
  typeOnly?: boolean
  /** The function whose code alone sees the names: `first`, `Queue.add`. Left out where the whole file may. */
  within?: string
  /** Names are passed on to importers of this file (`export … from`, `pub use`). */
  reexport?: boolean
}

export interface ExportFact {
  name: string
  /** Name inside this file or inside `from`, where it differs. */
  local?: string
  /** Set on re-exports: the specifier that the name comes from. `name` is `*` for `export * from`. */
  from?: string
}

/** Why a file has no facts although its language has a parser. */
export type UnparsedReason = 'too_large' | 'timeout' | 'crash' | 'error'
