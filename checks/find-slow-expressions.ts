import { allowedExpressions } from './allowed-expressions.ts'
import { keyOf, type Verdicts } from './judge-expressions.ts'
import type { Expression } from './read-expressions.ts'

/**
 * Returns a line for each expression whose time grows faster than the text that it reads, unless the list of allowed
 * expressions gives a reason; for each that has no verdict; and for each entry of that list that allows nothing.
 */
export function findSlowExpressions(
  expressions: readonly Expression[],
  verdicts: Verdicts,
  allowed: typeof allowedExpressions = allowedExpressions,
): string[] {
  const used = new Set<object>()
  const problems = expressions.flatMap((expression) => {
    const { file, line, source, text } = expression
    const verdict = source === null ? 'computed' : verdicts[keyOf(expression)]
    if (verdict === 'linear') return []
    const place = `${file}:${line}: ${text}`
    if (verdict === undefined) return [`${place} has no verdict. Run \`node checks/judge-expressions.ts\`.`]
    const entry = allowed.find((one) => one.file === file && (one.expression ?? text) === text)
    if (entry) used.add(entry)
    return entry ? [] : [`${place} ${explanations[verdict] ?? takes(verdict)} Rewrite it, or bound what it reads.`]
  })
  const unused = allowed.filter((entry) => !used.has(entry))
  return [
    ...problems,
    ...unused.map(
      ({ file, expression }) =>
        `checks/allowed-expressions.ts allows ${expression ?? 'all'} in ${file}, which is not needed.`,
    ),
  ]
}

const explanations: Record<string, string> = {
  computed: 'is computed, so that nothing is known about its time.',
  unknown: 'is too complex to tell how its time grows.',
}

const takes = (verdict: string) => `takes ${verdict} time.`
