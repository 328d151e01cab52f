import type { TestSummary } from '../core/tests/schema.ts'
import { healthPart, milliseconds, quarantineInWords, testNameOf } from './health-words.ts'
import { bold, dim, type Output } from './output.ts'
import { counted } from './words.ts'

/** Prints a test on lines of its own on a terminal, and in one row to a pipe. */
export function writeTests(out: Output, tests: readonly TestSummary[]): void {
  if (!out.isTerminal) {
    out.table(
      ['ID', 'HEALTH', 'QUARANTINE', 'FAILURES', 'IMPACT', 'MEDIAN', 'P95', 'TEST', 'REASON'],
      tests.map((test) => [
        test.testId,
        test.health,
        test.quarantine ? quarantineInWords(test.quarantine) : '-',
        `${test.failures}`,
        `${test.impact}`,
        milliseconds(test.p50Ms) ?? '-',
        milliseconds(test.p95Ms) ?? '-',
        testNameOf(test),
        test.reason,
      ]),
    )
    return
  }
  for (const test of tests) {
    const { health, quarantine, failures, impact, p50Ms, reason, testId } = test
    const facts = [
      failures > 0 ? `${counted(failures, 'failure')}, impact ${impact}` : '',
      p50Ms === null ? '' : `${milliseconds(p50Ms)}`,
      quarantine ? quarantineInWords(quarantine) : '',
    ].filter((fact) => fact !== '')
    out.line(healthPart(health), ' '.repeat(9 - health.length), bold(testNameOf(test)), `  ${facts.join(', ')}`)
    out.line(dim(`         ${reason}  ${testId}`))
  }
}
