import type { TestCase } from '../reports/report.ts'
import type { FailureKind } from './schema.ts'
import { type Place, placeOfFailure, type Surroundings } from './failure-place.ts'
import {
  isPlainError,
  saysAssertion,
  saysMatcher,
  saysMisuse,
  saysNotBuilt,
  saysThrown,
  saysTimeout,
} from './failure-words.ts'

export interface Failure extends Surroundings {
  /** The name of the framework in test plans. */
  framework: string | null
  test: Pick<TestCase, 'suite' | 'name' | 'file' | 'message' | 'stack' | 'failure'>
}

const headLength = 1_500

/**
 * Determines from the message and stack why and where a test failed: by an assertion, or by an exception of the tested
 * code or of test code.
 */
export function explainFailure(failure: Failure): { kind: FailureKind; place: Place | null; testLines: number[] } {
  const message = withoutPhase(failure.test.message ?? '')
  const stack = failure.test.stack ?? ''
  const { place, isSource, isThrownByTest, testLines } = placeOfFailure(`${message}\n${stack}`, failure)
  const kind = (): FailureKind => {
    const head = stack.slice(0, headLength)
    if (saysTimeout(message) || saysTimeout(head)) return 'timeout'
    if (failure.framework === 'go test') return kindOfGo(failure.test, message, isSource)
    if (isOutsideOfTests(failure.test) || (saysNotBuilt(message) && !isSource)) return 'not_built'
    if (isHook(failure.test)) return isSource ? 'crash_in_code' : 'crash_in_test'
    if (saysMisuse(message)) return 'crash_in_test'
    if (saysThrown(message, stack)) return 'crash_in_code'
    if (saysMatcher(message)) return 'assertion'
    // ava reports no stack, and the file only if the test threw the error.
    if (message === 'Error thrown in test') return failure.test.file === null ? 'crash_in_code' : 'crash_in_test'
    if (saysAssertion(failure.framework, message, head)) return isSource ? 'crash_in_code' : 'assertion'
    // The test throws an error itself instead of using an assertion.
    if (isThrownByTest && isPlainError(message, head)) return 'assertion'
    return isSource ? 'crash_in_code' : 'crash_in_test'
  }
  return { kind: kind(), place, testLines }
}

/** Go has no exceptions: a reported failure is an assertion, and a panic is a crash. */
function kindOfGo({ name, failure }: Failure['test'], message: string, isSource: boolean): FailureKind {
  if (saysNotBuilt(message)) return 'not_built'
  const isCrash = name === 'package' || failure === 'not_ended' || /^(?:panic: |fatal error: )/m.test(message)
  if (!isCrash) return 'assertion'
  return isSource ? 'crash_in_code' : 'crash_in_test'
}

/** Whether a case stands for a file or module that could not be loaded; see the readers of reports. */
export function isOutsideOfTests({ suite, name, file }: Pick<TestCase, 'suite' | 'name' | 'file'>): boolean {
  if (name === 'import' && file !== null) return true
  if (suite !== '') return false
  if (/^errors? outside of (?:tests|examples)$/.test(name)) return true
  if (file === null) return false
  const module = `.${file.replace(/\.py$/, '').replaceAll('/', '.')}`
  return `/${file}`.endsWith(`/${name}`) || (file.endsWith('.py') && module.endsWith(`.${name}`))
}

const isHook = ({ name, message }: Failure['test']) =>
  /^"(?:before|after) (?:all|each)" hook\b/.test(name) ||
  /^(?:set|tear)(?:Up|Down)(?:Class|Module)$/.test(name) ||
  /^failed on (?:setup|teardown) with |^failed running \w+ hook|cancelledByParent|before its parent and was cancelled/.test(
    message ?? '',
  )

/** Removes the phase that pytest adds to the message of a fixture. */
const withoutPhase = (message: string) => message.replace(/^failed on (?:setup|teardown) with "(.*)"$/s, '$1')
