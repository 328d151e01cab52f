import { isValue } from '../parsing/cases/text.ts'
import type { CodeCase } from './code-places.ts'

const maxLength = 300

/** `percent > 100: throws RangeError` */
export function textOfCase({ condition, outcome, result }: CodeCase): string {
  const what = result === undefined ? 'goes on' : isValue(result) ? 'uses' : 'runs'
  const how = outcome === 'default' ? what : outcome.replaceAll('_', ' ')
  return `${condition}: ${how}${result === undefined ? '' : ` ${result}`}`.slice(0, maxLength)
}
