import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VulnerableDiagnostics } from 'recheck'
import type { Expression } from './read-expressions.ts'
import { readExpressions } from './read-expressions.ts'

/**
 * Judges expressions with recheck: `node checks/judge-expressions.ts`. Takes about a second for each new expression, so
 * the verdicts are kept in a file, from which `npm run check` reads them.
 */
export const verdictsFile = join(import.meta.dirname, 'expressions.json')

/** `linear`, or how the time grows with the length of the text: `polynomial 2`, `exponential`, or `unknown`. */
export type Verdicts = Readonly<Record<string, string>>

export const readVerdicts = (): Verdicts => JSON.parse(readFileSync(verdictsFile, 'utf8')) as Verdicts

/** The expression under which its verdict is kept. Flags that do not change what it reads are left out. */
export const keyOf = ({ source, flags }: Pick<Expression, 'source' | 'flags'>): string =>
  `/${source ?? ''}/${flags.replace(/[dgy]/g, '')}`

async function judge(): Promise<void> {
  // The part of recheck in JavaScript judges the same on every machine.
  process.env['RECHECK_BACKEND'] = 'pure'
  const { checkSync } = await import('recheck')
  const known = readVerdicts()
  const constant = readExpressions(join(import.meta.dirname, '..')).filter(({ source }) => source !== null)
  const verdicts: Record<string, string> = {}
  for (const expression of constant) {
    const key = keyOf(expression)
    verdicts[key] ??= known[key] ?? ask(expression)
  }
  const sorted = Object.entries(verdicts).toSorted(([one], [other]) => (one < other ? -1 : 1))
  writeFileSync(verdictsFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)

  function ask({ file, line, source, flags, text }: Expression): string {
    const verdict = checkSync(source ?? '', flags.replace(/[dgy]/g, ''), { timeout: 20_000 })
    const answer = verdict.status === 'safe' ? 'linear' : verdict.status === 'vulnerable' ? growth(verdict) : 'unknown'
    console.log(`${file}:${line} ${text}: ${answer}`)
    return answer
  }
}

const growth = ({ complexity }: VulnerableDiagnostics): string =>
  complexity.type === 'polynomial' ? `polynomial ${complexity.degree}` : complexity.type

if (import.meta.main) await judge()
