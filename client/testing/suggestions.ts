import type { Suggestion } from '../../core/ai/schema.ts'
import type { TestCase } from '../../engines/analysis/schema.ts'
import type { TestingPart } from '../../engines/test-plan/schema.ts'

/** How a project with long names is tested. */
export const longTesting: TestingPart[] = [
  {
    directory: 'packages/payment-reconciliation-service',
    ecosystem: 'javascript',
    framework: 'vitest',
    command: 'npm run test:unit --workspace packages/payment-reconciliation-service',
    fileCommand: 'npx vitest run {file}',
  },
  {
    directory: 'services/ledger',
    ecosystem: 'python',
    framework: 'pytest',
    command: 'pytest',
    fileCommand: 'pytest {file}',
  },
]

const condition = (at: number) =>
  `options.reconciliationWindow${at}.numberOfOutstandingTransactions > configuration.maximumOutstandingTransactions`

const caseOf = (at: number): TestCase => ({
  id: (0x1a2b3c4d + at * 7_919).toString(16),
  line: 300 + at,
  condition: condition(at),
  outcome: at % 3 === 0 ? 'throws' : at % 3 === 1 ? 'returns' : 'early_return',
  result: at % 3 === 0 ? `ReconciliationError("Too many transactions in ${at}")` : 'null',
  covered: false,
})

/**
 * Suggestions as long as those of a repository with long names, each with everything that a suggestion may have. An
 * analysis keeps about 1,000 characters of cases for each candidate.
 */
export function longSuggestions(
  count: number,
): Required<Omit<Suggestion, 'case_ids' | 'moreCases' | 'hasUncountedCases'>>[] {
  return Array.from({ length: count }, (_, at) => {
    const path = `packages/payment-reconciliation-service/src/reconciliation/outstanding-transactions-${at}.ts`
    return {
      id: `01J9ZZZZZZZZZZZZZZZZZZZZ${String(at).padStart(2, '0')}`,
      file_path: path,
      test_type: 'unit',
      description:
        `reconcileOutstandingTransactions must reject windows that are not finite, and settle the transactions of counterparty number ${at} in the order of their value dates. `.repeat(
          2,
        ),
      rationale:
        'No test runs lines 301-304, 310 and 322-330; changed 14 times in the last 90 days; imported by 23 files. '.repeat(
          2,
        ),
      example_code: "import { expect, test } from 'vitest'\n".repeat(60),
      target: {
        symbol: `OutstandingTransactionReconciler.#reconcileOutstandingTransactions${at}`,
        startLine: 298,
        endLine: 371,
      },
      through: {
        path,
        symbol: `OutstandingTransactionReconciler.reconcileAllOutstandingTransactions${at}`,
        startLine: 120,
        endLine: 180,
      },
      // Few candidates have both many open cases and survivors.
      unnoticed: Array.from({ length: at === 0 ? 5 : 0 }, (_one, index) => ({
        line: 330 + index,
        original: condition(index + at),
        replacement: condition(index + at).replace('>', '>='),
      })),
      cases: Array.from({ length: 5 }, (_one, index) => caseOf(index + at)),
      brief: {
        framework: 'vitest',
        testFile: {
          path: `packages/payment-reconciliation-service/test/reconciliation/outstanding-transactions-${at}.test.ts`,
          exists: at % 2 === 0,
        },
        command: `cd packages/payment-reconciliation-service && npx vitest run test/reconciliation/outstanding-transactions-${at}.test.ts`,
        import: `import { OutstandingTransactionReconciler } from '../../src/reconciliation/outstanding-transactions-${at}.ts'`,
        signature: `reconcileAllOutstandingTransactions${at}(counterparty: CounterpartyIdentifier, options?: ReconciliationOptions): Promise<ReconciliationReport>`,
        parameters: [
          { name: 'counterparty', type: 'CounterpartyIdentifier', isOptional: false },
          { name: 'options', type: 'ReconciliationOptions', isOptional: true },
        ],
        construct: 'new OutstandingTransactionReconciler(ledgerRepository, exchangeRateProvider, { clock })',
        nearestTest: {
          path: 'packages/payment-reconciliation-service/test/reconciliation/settlement.test.ts',
          line: 12,
          helpers: ['createLedgerRepository', 'createFixedClock'],
        },
      },
    }
  })
}
