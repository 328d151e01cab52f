import type { SourceTree } from '../description/source-tree.ts'
import type { SourceCase } from '../description/types.ts'
import { nodesOf, type SyntaxNode } from '../syntax-tree.ts'

const states =
  / (?:is (?:null or undefined|undefined|falsy|not given|empty|0, empty or closed|nil|null|null or not set|null or blank|null or empty|zero|negative|negative or zero|Err or None)|rejects|fails)$/
const throwing =
  /\b(?:throw|raise|panic|fail|assert\w*|expect|unwrap|require\w*|check\w+|invariant|ThrowIf\w*|unreachable|todo|unimplemented|match|case|nullthrows)\b/

const throwingNode = /throw|raise|assert/i
const callNode = /call|macro|invocation|unwrap|try_expression|new/i
/** Nodes whose condition is their beginning. */
const openNode = /case|arm|when|default|pattern|clause|match|switch|rescue|ensure|in_|select|group|else/i
const loopNode = /for|while|until|loop|each|foreach/i
const handlerNode = /try|catch|except|rescue|ensure|finally|recover|call|new/i
/** Ruby may write the condition after the statement. */
const linesBefore = 3
const maxLevels = 6

/**
 * Compares cases with the syntax tree that they were read from.
 *
 * @returns a function that says what is wrong with a case; undefined if it is right
 */
export function caseChecker(
  tree: SourceTree,
): (one: Pick<SourceCase, 'line' | 'condition' | 'outcome' | 'result'>) => string | undefined {
  const byLine = Map.groupBy(nodesOf(tree.root), (node) => tree.lineOf(node.start))
  return ({ line, condition, outcome, result }) => {
    const texts = readings(condition).filter((text) => text !== '')
    const holds = (node: SyntaxNode) => {
      const text = node.field === 'finalizer' ? 'finally' : collapse(tree.text(node))
      const isOpen = condition.includes('…') || openNode.test(node.type)
      return texts.some((one) => one === text || (isOpen && text.startsWith(one)))
    }
    const nodes = (byLine.get(line) ?? []).filter(holds)
    if (nodes.length === 0) return `line ${line} does not hold the condition ${JSON.stringify(condition)}`
    const isWithin = (kind: RegExp) => nodes.some((node) => upwards(node).some(({ type }) => kind.test(type)))
    if (outcome === 'loop_not_entered' && !isWithin(loopNode)) return `no loop has the condition of line ${line}`
    if (outcome === 'catch' && !isWithin(handlerNode)) return `nothing is caught at line ${line}`
    if (outcome !== 'throws') return undefined
    const thrown = [...byLine].flatMap(([at, ofLine]) =>
      at < line - linesBefore ? [] : ofLine.filter((node) => throws(node, tree)),
    )
    if (thrown.length === 0) return `nothing is thrown after line ${line}`
    if (!result || thrown.some((node) => mentions(result, tree.text(node)))) return undefined
    return `nothing after line ${line} throws ${JSON.stringify(result)}`
  }
}

function upwards(node: SyntaxNode): SyntaxNode[] {
  const nodes = [node]
  for (let outer = node.parent; outer && nodes.length < maxLevels; outer = outer.parent) nodes.push(outer)
  return nodes
}

const throws = (node: SyntaxNode, tree: SourceTree): boolean =>
  throwingNode.test(node.type) || (callNode.test(node.type) && throwing.test(tree.text(node)))

/** Types that a statement throws without naming them. */
const implied =
  /^(?:AssertionError|panic|Error|RuntimeError|NullPointerException|Illegal\w+|NoMatching\w+|Unhandled\w+|the caught)/

function mentions(result: string, source: string): boolean {
  const words = result.replace(/…$/, '').match(/[\w$]{3,}/g) ?? []
  return implied.test(result) || words.slice(0, 4).every((word) => source.includes(word))
}

/** Without space: sources break lines where conditions do not. */
const collapse = (text: string): string => text.replace(/\s+/g, '')

/** The texts of the source that a condition may be made of. */
function readings(condition: string): string[] {
  const whole = condition.replace(/ (?:around|after) .*$/s, '').replace(states, '')
  const parts = [condition.replace(states, ''), whole]
  for (let at = whole.indexOf(': '); at !== -1; at = whole.indexOf(': ', at + 1)) parts.push(whole.slice(at + 2))
  const none = ': none of its cases'
  if (condition.endsWith(none)) parts.push(...parts.map((part) => part.slice(0, -none.length)))
  return parts
    .flatMap((part) => [part, part.replace(/^(?:!|not )/, ''), part.replace(/^(?:!|not )?\(([^]*)\)$/, '$1')])
    .map((part) => collapse(part.replace(/^\(/, part.includes('…)') ? '' : '(')).replace(/…\)?$/, ''))
}
