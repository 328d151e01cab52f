import type { Case } from './facts.ts'
import { type Language, languageOf } from './languages.ts'
import { oneLine } from './safe-text.ts'

const inProse = { condition: 140, result: 100 }
const inTitle = { condition: 90, result: 60 }

/** Describes a case in prose: "throws `TypeError: Expected a number` where `!Number.isFinite(interval)` (line 42)". */
export const describeCase = (given: Case, path: string) =>
  `${inWords(given, languageOf(path, undefined), inProse, quoted)} (line ${given.line})`

/** Names a case without its line, which the next change of the file would move. */
export const titleOfCase = (given: Case, language: Language) =>
  inWords(given, language, inTitle, (text) => text.replaceAll('`', ''))

/** Code in backticks, unless it is prose that has its own. */
function quoted(text: string): string {
  const own = text.split('`').length - 1
  return own > 0 && own % 2 === 0 ? text : `\`${text.replaceAll('`', "'")}\``
}

function inWords(
  { outcome, condition, result }: Case,
  language: Language | undefined,
  max: typeof inProse,
  shown: (text: string) => string,
): string {
  // Template literals escape their backticks.
  const clean = (text: string, length: number) => oneLine(text.replaceAll('\\`', '`'), length)
  const place = shown(clean(condition, max.condition))
  const value = clean(result ?? '', max.result)
  const where = `${handler.test(condition) ? 'in' : 'where'} ${place}`
  const of = value === '' ? '' : ` ${shown(value)}`
  switch (outcome) {
    case 'throws':
      return `${throwing(language, value, shown)} ${where}`
    case 'returns':
      return `returns${of} ${where}`
    case 'early_return':
      return `${leaving(value, of)} ${where}`
    case 'loop_not_entered':
      return `skips the loop where ${place}`
    case 'catch':
      return `reaches ${place}${value === '' ? '' : `:${of}`}`
    default:
      if (value === '') return `goes on where ${place}`
      return `${/ is (?:null or )?undefined$/.test(condition) ? 'uses' : 'runs'}${of} where ${place}`
  }
}

/** What leaves a loop, or one round of it, stays in the function. */
function leaving(value: string, of: string): string {
  if (/^(?:continue|next|redo)\b/.test(value)) return 'goes on with the next round'
  return /^break\b/.test(value) ? 'leaves the loop' : `returns${of} early`
}

/** `catch (error) around read()`: the condition of a handler names it and what it is around. */
const handler = /^(?:catch|except|rescue)\b.* around /s

/** `panic: err` and Rust's `panic (unreachable!): text`, which are no types of errors. */
const panic = /^panic(?: (\(\w+!\)))?(?:: (.+))?$/s

function throwing(language: Language | undefined, value: string, shown: (text: string) => string): string {
  const [panics, macro, text] = panic.exec(value) ?? []
  if (panics !== undefined) {
    return `panics${macro === undefined ? '' : ` ${macro}`}${text === undefined ? '' : ` with ${shown(text)}`}`
  }
  const verb = language === 'python' || language === 'ruby' ? 'raises' : 'throws'
  return `${language === 'go' || language === 'rust' ? 'panics' : verb}${value === '' ? '' : ` ${shown(value)}`}`
}

/** The cases that a new test is for: all but those that a test is known to run. */
export const openCases = (cases: readonly Case[]) => cases.filter(({ covered }) => covered !== true)
