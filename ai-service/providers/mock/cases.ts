import type { TestType } from '../../../core/ai/schema.ts'
import type { Subject } from './symbols.ts'

/** The tests that an example consists of: the first is written out, the others are named and left open. */
export type Cases = readonly [string, ...string[]]

const wholeFile: Cases = ['does what its callers rely on', 'handles input at its limits']
const construction: Cases = ['starts in a usable state', 'keeps its state consistent over several calls']
const request: Cases = ['answers a valid request', 'refuses a request that is not valid']
const visit: Cases = ['lets a visitor do what the page is for', 'tells a visitor what went wrong']

/** More branches deserve more tests. */
export function casesFor(subject: Subject, testType: TestType, complexity: number | undefined): Cases {
  if (testType === 'e2e') return visit
  if (testType === 'integration') {
    return complexity !== undefined && complexity >= 5 ? [...request, 'refuses a caller without permission'] : request
  }
  if (subject.form === 'whole') return wholeFile
  if (subject.form === 'construct') return construction
  const limits = complexity === undefined || complexity >= 2 ? ['handles input at its limits'] : []
  const refusal = complexity !== undefined && complexity >= 5 ? ['refuses input that is not valid'] : []
  const branches = complexity !== undefined && complexity >= 10 ? ['takes every branch at least once'] : []
  return ['returns the expected result for typical input', ...limits, ...refusal, ...branches]
}

const wordsOf = (sentence: string) => sentence.toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '') // prettier-ignore

/** `handles input` as `handles_input`. */
export const snakeCase = (sentence: string) => wordsOf(sentence).join('_')

/** `handles input` as `HandlesInput`. */
export const pascalCase = (sentence: string) =>
  wordsOf(sentence)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** `handles input` as `handlesInput`. */
export const camelCase = (sentence: string) => sentence.charAt(0).toLowerCase() + pascalCase(sentence).slice(1)
