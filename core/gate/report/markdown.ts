import { gateLines, gateTitle } from '../../../engines/gate/table.ts'
import { percentText } from '../../../engines/gate/words.ts'
import { codeCell, codeSpan, plainText } from '../../code-host-posts/markdown.ts'
import type { GateRow } from '../entity.ts'
import type { FileOfGate } from '../schema.ts'

const maxFiles = 10
const maxRanges = 5
const maxCases = 2

/** The body of the check run and of the comment, in Markdown. Everything that a repository chose is escaped. */
export function gateMarkdown(gate: GateRow, url: string): string {
  const { state, mode, reasons, figures, files } = gate
  const title = gateTitle(state, reasons, mode)
  const parts = [
    `### Assay: ${plainText(title)}`,
    table(
      ['', 'Rule', ''],
      gateLines(reasons).map(({ sign, rule, text, fix }) => [
        sign,
        plainText(rule),
        fix === null ? plainText(text) : `${plainText(text)}<br>→ ${plainText(fix)}`,
      ]),
    ),
    testsPart('Tests that fail with the change', figures?.failures.fresh ?? []),
    testsPart('Tests that became flaky', figures?.flaky.fresh ?? []),
    filesPart(files ?? []),
    figures?.project ? projectLine(figures.project) : '',
    `[Show all](${url}) · commit ${codeSpan((gate.headSha ?? '').slice(0, 12))} against ${codeSpan(gate.base)}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

function testsPart(title: string, tests: readonly { suite: string; name: string; file: string | null }[]): string {
  if (tests.length === 0) return ''
  const lines = tests
    .slice(0, maxFiles)
    .map(
      ({ suite, name, file }) =>
        `- ${codeSpan([suite, name].filter(Boolean).join(' › '))}${file === null ? '' : ` in ${codeSpan(file)}`}`,
    )
  return [`**${title}**`, ...lines].join('\n')
}

function filesPart(files: readonly FileOfGate[]): string {
  const shown = files.slice(0, maxFiles)
  if (shown.length === 0) return ''
  const more = files.length - shown.length
  const rows = shown.map((file) => [codeCell(file.path), fileText(file), casesText(file)])
  return [
    table(['File', 'Uncovered lines', 'Cases that no test runs'], rows),
    more > 0 ? `\n${more} more files.` : '',
  ].join('')
}

function fileText({ state, uncovered, partial, symbol }: FileOfGate): string {
  if (state === 'unmeasured') return 'no report names it'
  if (state === 'unknown') return 'measured in another version'
  const ranges = uncovered.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
  const branches = partial.map(({ line, covered, total }) => `${line} (${covered} of ${total} branches)`)
  const all = [...ranges, ...branches]
  const text = `${all.slice(0, maxRanges).join(', ')}${all.length > maxRanges ? ' …' : ''}`
  return symbol === null ? text : `${text} in ${codeCell(symbol)}`
}

const casesText = ({ cases }: FileOfGate) =>
  cases
    .slice(0, maxCases)
    .map(({ text }) => codeCell(text))
    .join('<br>')

function projectLine({
  head,
  change,
  fromRemoved,
}: {
  head: number
  change: number | null
  fromRemoved: number | null
}) {
  if (change === null) return `Project coverage: ${percentText(head)}`
  const points = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`
  const removed =
    fromRemoved !== null && Math.abs(fromRemoved) >= 0.05 ? `, ${points(fromRemoved)} from removed code` : ''
  return `Project coverage: ${percentText(head)} (${points(change)} points${removed})`
}
