import { cutText, plainText } from '../text.ts'
import type { ReportLimits } from '../report.ts'
import type { Attributes } from '../xml-events.ts'
import { durationOf } from './duration.ts'

/** The text of one failure, error, rerun or skip. */
export interface Problem {
  message: string | null
  stack: string | null
  durationMs: number | null
}

/** Messages that only repeat that something failed, or what failed. */
const saysNothing = /^(?:failed|failure|error|errored|collection failure|test failed)?\.?$|^\S+:\d+:\d+ |^=== RUN /i
const noise = /^(?:=== |--- |\S+ Traceback|Traceback|\[[^\]]+\] › |Error\b.*:$|Hint: |Failures?:$|[─═_=-]+$)/i
const errorLine = /^(?:E {3,}\S|\w*(?:Error|Exception|Failure)\b.*: ?\S)/
const placeLine = /^E {3,}File "[^"]*", line \d+$/
const raised = /^E {3,}\w{1,100}(?:Error|Exception|Warning)\b/

export function readProblem(attributes: Attributes, text: string, test: string, limits: ReportLimits): Problem {
  const stack = tidied(text, limits.maxStack)
  const given = tidied(attributes['message'] ?? '', limits.maxMessage)
  const message = saysNothing.test(given)
    ? tellingLine(stack || given, test) || given || typeOf(attributes, test)
    : whole(given, stack)
  return {
    message: message === '' ? null : cutText(message, limits.maxMessage),
    stack: stack === '' || stack === message ? null : cutText(stack, limits.maxStack),
    durationMs: durationOf(attributes['time']),
  }
}

/** pytest writes the escape codes of terminals as text. */
function tidied(text: string, max: number): string {
  const cut = cutText(text, max * 2)
  return plainText(cut.includes('#x1B[') ? cut.replace(/#x1B\[[\d;]*m/g, '') : cut).trim()
}

/** minitest-reporters and nextest write only the first line as the message, and the rest with the stack. */
function whole(message: string, stack: string): string {
  if (/ panicked at \S+$/.test(message)) {
    const [full = message] = stack.slice(stack.indexOf(message)).split(/\n(?:stack backtrace:|note: run with)/, 1)
    return stack.includes(message) ? full.trim() : message
  }
  if (!message.endsWith('...')) return message
  const start = stack.indexOf(message.slice(0, -3))
  return start === -1 ? message : stack.slice(start)
}

function typeOf(attributes: Attributes, test: string): string {
  const type = attributes['type'] ?? ''
  return type === test ? '' : type
}

/** Joins several failures of one attempt, which soft assertions produce. */
export function together(problems: readonly Problem[], limits: ReportLimits): Problem {
  const texts = (of: 'message' | 'stack') => {
    const said = problems.map((problem) => problem[of]).filter((text) => text !== null)
    return said.length === 0 ? null : said.join('\n\n')
  }
  const [message, stack] = [texts('message'), texts('stack')]
  return {
    message: message === null ? null : cutText(message, limits.maxMessage),
    stack: stack === null ? null : cutText(stack, limits.maxStack),
    durationMs: problems.at(-1)?.durationMs ?? null,
  }
}

function tellingLine(text: string, test: string): string {
  const lines = text.split('\n', 200).map((line) => line.trim())
  const shown = lines.find((line) => errorLine.test(line))
  // pytest shows code that Python cannot read above the error.
  const error = shown !== undefined && placeLine.test(shown) ? (lines.find((line) => raised.test(line)) ?? shown) : shown
  const first = lines.find((line) => line !== '' && !noise.test(line) && !(test !== '' && line.includes(`::${test}`)))
  return (error ?? first ?? '').replace(/^E {3,}/, '')
}
