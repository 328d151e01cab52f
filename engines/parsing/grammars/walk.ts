import type { Node } from 'web-tree-sitter'
import { FactsBuilder, type SymbolStart } from '../facts-builder.ts'

type Declared = Omit<SymbolStart, 'startLine' | 'endLine'> & {
  /** Where the declaration starts, when annotations or attributes come before it inside its node. */
  from?: Node
}

/** One pass over the matches of a file: keeps track of which declarations the current match lies in. */
export class Walk {
  readonly facts: FactsBuilder
  readonly source: string
  /** Where declarations start that something outside of them makes private. */
  readonly hidden = new Set<number>()
  /** Where the names of declarations start, which are no uses. */
  readonly names = new Set<number>()
  readonly #ends: number[] = []

  constructor(source: string, globals?: ReadonlySet<string>) {
    this.facts = new FactsBuilder(globals)
    this.source = source
  }

  text(node: Node): string {
    return this.source.slice(node.startIndex, node.endIndex)
  }

  fieldText(node: Node, field: string): string | undefined {
    const child = node.childForFieldName(field)
    return child ? this.text(child) : undefined
  }

  /** Opens a symbol that everything inside `node` belongs to. */
  open(node: Node, { from, ...declared }: Declared): void {
    this.facts.open({
      ...declared,
      startLine: (from ?? node).startPosition.row + 1,
      endLine: lastLine(node),
    })
    this.#ends.push(node.endIndex)
  }

  openNamespace(node: Node, name: string, exported: boolean, test = false): void {
    this.facts.openNamespace(name, exported, test)
    this.#ends.push(node.endIndex)
  }

  /** Closes the declarations that end before `index`. */
  leaveUntil(index: number): void {
    for (let end = this.#ends.at(-1); end !== undefined && end <= index; end = this.#ends.at(-1)) {
      this.#ends.pop()
      this.facts.close()
    }
  }
}

/** Some grammars end a declaration with its newline, at the first column of the line after. */
function lastLine(node: Node): number {
  const { row, column } = node.endPosition
  return column === 0 && row > node.startPosition.row ? row : row + 1
}
