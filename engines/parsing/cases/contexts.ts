import type { SourceCase } from '../description/types.ts'
import type { SyntaxNode } from '../syntax-tree.ts'
import { conditionText, maxCondition } from './text.ts'

/** An `if` with what holds in its branches. */
interface Choice {
  onTrue: SyntaxNode | null
  onFalse: SyntaxNode | 'chained' | null
  holds: string
  fails: string
}

/** How far the constructs around a case are searched, and how many before it in a chain are named. */
const maxLevels = 12
const maxBefore = 2
/** Less room than this says nothing. */
const minRoom = 12
const maxRoom = 50

/** Says of cases what must hold before their own condition counts, where that is not told by the condition alone. */
export class Contexts {
  readonly #choices = new Map<SyntaxNode, Choice & { before?: SyntaxNode }>()
  /** The last alternative so far of a chain, by the `if` that begins it. */
  readonly #lastIn = new Map<SyntaxNode, SyntaxNode>()
  readonly #nodes = new Map<SourceCase, SyntaxNode>()
  readonly #functions: ReadonlySet<string>

  constructor(functions: ReadonlySet<string>) {
    this.#functions = functions
  }

  /** Notes an `if`, in the order of the source. */
  choice(node: SyntaxNode, choice: Choice): void {
    const first = this.#chainOf(node)
    if (!first) this.#choices.set(node, choice)
    else {
      this.#choices.set(node, { ...choice, before: this.#lastIn.get(first) ?? first })
      this.#lastIn.set(first, node)
    }
  }

  /** Notes the construct of a case. */
  note(one: SourceCase, node: SyntaxNode): void {
    this.#nodes.set(one, node)
  }

  /** Completes the last alternatives of chains, and cases of one symbol that read alike. */
  complete(cases: readonly SourceCase[]): void {
    const alike = Map.groupBy(cases, ({ condition, outcome, result }) => `${condition}\n${outcome}\n${result}`)
    for (const group of alike.values()) {
      for (const one of group) {
        const node = this.#nodes.get(one)
        const choice = node && this.#choices.get(node)
        if (!node || (group.length === 1 && !(choice?.before && one.condition === choice.fails))) continue
        const contexts = choice?.before ? this.#before(choice.before) : group.length > 1 ? this.#around(node) : []
        for (const context of contexts) one.condition = joined(context, one.condition)
      }
    }
  }

  /** The `if` of which the node is an `else if`. */
  #chainOf(node: SyntaxNode): SyntaxNode | undefined {
    for (const outer of [node.parent, node.parent?.parent]) {
      const choice = outer && this.#choices.get(outer)
      if (outer && choice) return choice.onFalse === 'chained' && isAfter(node, choice.onTrue) ? outer : undefined
    }
    return undefined
  }

  /** What fails before an alternative is looked at, the nearest first. */
  #before(node: SyntaxNode): string[] {
    const found: string[] = []
    for (let at: SyntaxNode | undefined = node; at && found.length < maxBefore; at = this.#choices.get(at)?.before) {
      const choice = this.#choices.get(at)
      if (choice) found.push(choice.fails)
    }
    return found
  }

  /** What holds in the nearest branch around a node. */
  #around(node: SyntaxNode): string[] {
    let outer = node.parent
    for (let level = 0; outer && level < maxLevels && !this.#functions.has(outer.type); level += 1) {
      const choice = this.#choices.get(outer)
      if (choice && isWithin(node, choice.onTrue)) return [choice.holds]
      if (choice && choice.onFalse !== 'chained' && isWithin(node, choice.onFalse)) return [choice.fails]
      outer = outer.parent
    }
    return []
  }
}

const isAfter = (node: SyntaxNode, other: SyntaxNode | null) => other === null || node.start >= other.end
const isWithin = (node: SyntaxNode, other: SyntaxNode | null) =>
  other !== null && other.start <= node.start && node.end <= other.end

/** `not (step > 0): not (step < 0)`, as the arms of a `switch` are worded. */
function joined(context: string, condition: string): string {
  const room = Math.min(maxRoom, maxCondition - condition.length - 2)
  return room < minRoom ? condition : `${conditionText(context, maxCondition - room)}: ${condition}`
}
