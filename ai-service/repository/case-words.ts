import type { Case } from './facts.ts'
import { type Language, languageOf } from './languages.ts'
import { oneLine } from './safe-text.ts'

const maxCondition = 160
const maxResult = 100

/** Describes a case in prose: "throws `TypeError: Expected a number` where `!Number.isFinite(interval)` (line 42)". */
export function describeCase(given: Case, path: string): string {
  const quoted = (text: string) => (text.includes('`') ? text : `\`${text}\``)
  return `${outcomeOf(given, languageOf(path, undefined), quoted)} where ${quoted(conditionOf(given))} (line ${given.line})`
}

/** Names a case without its line, which the next change of the file would move. */
export const titleOfCase = (given: Case, language: Language) =>
  `${outcomeOf(given, language, (text) => text)} where ${conditionOf(given)}`.replaceAll('`', '')

const conditionOf = ({ condition }: Case) => oneLine(condition, maxCondition)

function outcomeOf({ outcome, result }: Case, language: Language | undefined, quoted: (text: string) => string) {
  const value = oneLine(result ?? '', maxResult)
  const shown = value === '' ? '' : ` ${quoted(value)}`
  switch (outcome) {
    case 'throws':
      return `${throwing(language)}${shown}`
    case 'returns':
      return `returns${shown}`
    case 'early_return':
      return value === '' ? 'returns early' : `returns${shown} early`
    case 'loop_not_entered':
      return 'skips the loop'
    case 'catch':
      return `handles the error${value === '' ? '' : `:${shown}`}`
    case 'default':
      return `takes the default${value === '' ? '' : `:${shown}`}`
  }
}

function throwing(language: Language | undefined): string {
  if (language === 'python' || language === 'ruby') return 'raises'
  return language === 'go' || language === 'rust' ? 'panics' : 'throws'
}

/** The cases that a new test is for: all but those that a test is known to run. */
export const openCases = (cases: readonly Case[]) => cases.filter(({ covered }) => covered !== true)
