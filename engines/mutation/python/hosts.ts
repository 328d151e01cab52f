import { child, namedChildren, type SyntaxNode } from '../../parsing/syntax-tree.ts'
import type { NumberedMutant, SwitchedSource } from '../switched-source.ts'

/**
 * Finds the code that tests can reach separately: the bodies of the outermost functions with mutants, and outside of
 * functions the mutants themselves.
 */
export function pythonHosts(root: SyntaxNode, mutants: readonly NumberedMutant[]): SwitchedSource['hosts'] {
  const bodies = [...bodiesIn(root)]
  const ofBody = Map.groupBy(mutants, ({ mutant: { start, end } }) =>
    bodies.find((body) => body.start <= start && end <= body.end),
  )
  return [...ofBody].flatMap(([body, own]) => {
    if (body) return { start: body.start, end: body.end, marker: markerOf(own) }
    return own.map((one) => ({ start: one.mutant.start, end: one.mutant.end, marker: markerOf([one]) }))
  })
}

const markerOf = (own: readonly NumberedMutant[]) => -2 * Math.min(...own.map(({ id }) => id)) - 1

function* bodiesIn(node: SyntaxNode): Iterable<SyntaxNode> {
  const body = node.type === 'function_definition' ? child(node, 'body') : undefined
  if (body) yield body
  else for (const inner of namedChildren(node)) yield* bodiesIn(inner)
}
