import type { SourceCase } from '../description/types.ts'

const states =
  / (?:is (?:null or undefined|undefined|falsy|not given|empty|0, empty or closed|nil|null|null or not set|null or blank|null or empty|zero|negative|negative or zero|Err or None)|rejects|fails)$/
const throwing =
  /\b(?:throw|raise|panic|fail|assert\w*|expect|unwrap|require\w*|check\w+|invariant|ThrowIf\w*|unreachable|todo|unimplemented|match|case|nullthrows)\b/

/** What is wrong with a case, compared with the source that it was read from; undefined if it is right. */
export function defectOf(one: SourceCase, lines: readonly string[]): string | undefined {
  const first = collapse(lines[one.line - 1] ?? '')
  const from = collapse(lines.slice(one.line - 1, one.line + 200).join('\n'))
  // Ruby may write the condition after the statement.
  const text = lines.slice(Math.max(0, one.line - 4), one.line + 200).join('\n')
  const isThere = readings(one.condition).some((text) => {
    const at = from.indexOf(text)
    return text !== '' && at !== -1 && at < Math.max(1, first.length)
  })
  if (!isThere) return `line ${one.line} does not hold the condition ${JSON.stringify(one.condition)}`
  if (one.outcome === 'throws' && !throwing.test(text)) return `nothing is thrown after line ${one.line}`
  if (one.outcome === 'throws' && one.result && !mentions(one.result, text)) {
    return `nothing after line ${one.line} throws ${JSON.stringify(one.result)}`
  }
  return undefined
}

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
  if (condition.endsWith(': none of its cases')) parts.push(condition.replace(/: none of its cases$/, ''))
  return parts
    .flatMap((part) => [part, part.replace(/^(?:!|not )/, ''), part.replace(/^(?:!|not )?\(([^]*)\)$/, '$1')])
    .map((part) => collapse(part.replace(/^\(/, part.includes('…)') ? '' : '(')).replace(/…\)?$/, ''))
}
