import type { Ranges } from '../../coverage/ranges.ts'
import { detectLanguage } from '../../languages/detect.ts'
import { calledName } from '../../mutation/python/calls.ts'
import { dialectOf } from '../../parsing/dialects.ts'
import { lineCounter } from '../../parsing/javascript/lines.ts'
import { around, child, namedChildren, nodesOf, readTree, type SyntaxNode } from '../../parsing/syntax-tree.ts'
import { expectsError, type Text } from './python.ts'

const parseTimeoutMs = 3_000

/** Does the work of `readExpectedErrors` in this process. A hostile source can crash or block the process. */
export async function expectedErrorsOf(path: string, source: string): Promise<Ranges> {
  if (dialectOf(detectLanguage(path, Buffer.from(source)), path) !== 'python') return []
  const root = await readTree(source, 'python', parseTimeoutMs)
  if (!root) return []
  const text = ({ start, end }: { start: number; end: number }) => source.slice(start, end)
  const lineOf = lineCounter(source)
  const guarded = [...nodesOf(root)].flatMap((node) => guardedBy(node, text) ?? [])
  return guarded.map(({ start, end }) => [lineOf(start), lineOf(end)] as const)
}

/** Returns the code that must raise: `with pytest.raises(E): code`, or the call `self.assertRaises(E, code)`. */
function guardedBy(node: SyntaxNode, text: Text): SyntaxNode | undefined {
  if (node.type !== 'call' || !expectsError(calledName(node, text))) return undefined
  const { parent } = node
  const item = parent?.type === 'as_pattern' ? parent.parent : parent
  if (item?.type === 'with_item') return child(around(item, 'with_statement') ?? item, 'body')
  const given = namedChildren(child(node, 'arguments') ?? node)
  // Calls in the arguments happen before the assertion, so their errors do not reach it.
  return given.length > 1 && !given.some(callsAtOnce) ? node : undefined
}

const callsAtOnce = (node: SyntaxNode): boolean =>
  node.type === 'call' || (node.type !== 'lambda' && node.children.some(callsAtOnce))
