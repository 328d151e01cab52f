import { gateLines, gateTitle } from '../engines/gate/table.ts'
import type { Gate } from '../core/gate/schema.ts'
import { bold, dim, green, type Output, type Part, red, yellow } from './output.ts'
import { pageLine } from './words.ts'

const colors = { '✗': red, '…': yellow, '✓': green, '–': dim } as const

const maxFiles = 10
const maxRanges = 5

/** Prints the same table as the comment at the pull request. */
export function showGate(gate: Gate, out: Output): void {
  const title = gateTitle(gate.state, gate.reasons, gate.mode)
  out.line(bold(title))
  const sign = (text: string): Part => (colors[text as keyof typeof colors] ?? dim)(text)
  out.table(
    ['', 'RULE', 'RESULT'],
    gateLines(gate.reasons).flatMap(({ sign: text, rule, text: result, fix }) => [
      [sign(text), rule, result],
      ...(fix === null ? [] : [['', '', dim(`→ ${fix}`)] as Part[]]),
    ]),
  )
  if (gate.files.length > 0) {
    out.line('')
    out.table(
      ['FILE', 'UNCOVERED LINES', 'CASE'],
      gate.files
        .slice(0, maxFiles)
        .map(({ path, state, uncovered, partial, symbol, cases }) => [
          path,
          state === 'measured'
            ? linesOf(uncovered, partial, symbol)
            : state === 'unmeasured'
              ? 'no report names it'
              : 'measured in another version',
          cases[0]?.text ?? '',
        ]),
    )
  }
  out.line(pageLine(gate.url))
}

function linesOf(
  uncovered: Gate['files'][number]['uncovered'],
  partial: Gate['files'][number]['partial'],
  symbol: string | null,
): string {
  const all = [
    ...uncovered.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)),
    ...partial.map(({ line, covered, total }) => `${line} (${covered} of ${total} branches)`),
  ]
  const text = `${all.slice(0, maxRanges).join(', ')}${all.length > maxRanges ? ' …' : ''}`
  return symbol === null ? text : `${text} in ${symbol}`
}
