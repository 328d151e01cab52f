import { z } from 'zod'
import { type GeneratedTest, GeneratedTest as StoredTest } from '../../../core/generated-tests/schema.ts'
import { cleanLine, cleanName, cleanText, fence, shorten } from '../../../client/sanitize.ts'
import { UserError } from '../../../client/user-error.ts'
import { dataNotice } from '../../answers/output.ts'
import { afterFirstAnalysis } from '../../answers/wait-for-analysis.ts'
import { type Call, defineTool, Id } from '../tool.ts'

/** One test of this length fits under the hard cap, in both forms of the answer. */
const longestCode = 7_000

const Input = z.object({
  projectId: Id.optional(),
  suggestionId: Id.optional(),
  targetPath: z.string().max(1_024).optional(),
  targetSymbol: z.string().max(500).optional(),
  framework: z.string().max(100).optional(),
  // Core says what is too few or too many: bounds cost every client tokens.
  count: z.int().optional(),
  generatedTestId: Id.optional().describe('Read a stored one instead'),
  offset: z
    .int()
    .refine((offset) => offset >= 0, 'must not be negative')
    .optional(),
})
type Input = z.output<typeof Input>

const TestFact = StoredTest.pick({ id: true, filePath: true, testType: true, description: true }).extend({
  framework: z.string().optional(),
  verdict: StoredTest.shape.verdict.unwrap().optional(),
  code: z.string(),
  /** Where the code goes on that did not fit. */
  nextOffset: z.int().optional(),
})
type TestFact = z.infer<typeof TestFact>

const Output = z.object({
  projectId: z.string(),
  commitSha: z.string().optional(),
  tests: z.array(TestFact),
  /** Stored as well, and left out of the answer. */
  others: z.array(StoredTest.pick({ id: true, filePath: true })).optional(),
  warnings: z.array(z.string()).optional(),
  note: z.string(),
  next: z.string(),
})
type Output = z.infer<typeof Output>

export const generateTests = defineTool({
  name: 'generate_tests',
  title: 'Generate tests',
  description:
    'Has AI write tests for a suggestion, or for a file or symbol, and stores them. They have not run: call ' +
    'verify_test with their id.',
  scope: 'analysis:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  outputSchema: Output,
  asked: ({ count }) => count !== undefined,
  run: async (input, call) => (input.generatedTestId === undefined ? writeTests(input, call) : readTest(input, call)),
  render,
  list: {
    count: ({ tests }) => tests.length,
    keep: ({ tests, ...facts }, count) => ({
      ...facts,
      tests: tests.slice(0, count),
      others: tests.slice(count).map(({ id, filePath }) => ({ id, filePath })),
    }),
  },
})

function refuse(what: string): never {
  throw new UserError(`generate_tests was not run: ${what}`)
}

async function writeTests(input: Input, call: Call): Promise<Output> {
  const { projectId, suggestionId, targetPath, targetSymbol, framework, count } = input
  if (input.offset !== undefined) refuse('offset goes on in the code of one test: give its generatedTestId.')
  if (projectId === undefined) refuse('give projectId. list_projects shows the ids.')
  if ((suggestionId === undefined) === (targetPath === undefined)) {
    refuse('give either suggestionId, which suggest_tests returns, or targetPath.')
  }
  if (targetPath === undefined && targetSymbol !== undefined) refuse('targetSymbol needs the targetPath of its file.')
  const target = targetPath === undefined ? {} : { target: { path: targetPath, symbol: targetSymbol } }
  const wanted = { projectId, suggestionId, ...target, framework, count, waitSeconds: 0 }
  const generated = await afterFirstAnalysis(() => call.core.analysis.generateTests.mutate(wanted), call)
  if (!generated) throw new UserError('The first analysis is still running. Call generate_tests again to wait for it.')
  const { tests, warnings } = generated
  const told = warnings.slice(0, 5).map((warning) => shorten(cleanLine(warning), 200))
  return { ...factsOf(projectId, tests), ...(told.length > 0 ? { warnings: told } : {}) }
}

async function readTest(input: Input, call: Call): Promise<Output> {
  const { generatedTestId = '', offset = 0, projectId, ...others } = input
  const [superfluous] = Object.keys(others)
  if (superfluous !== undefined) refuse(`generatedTestId reads a stored test. Leave ${superfluous} out, or it.`)
  const test = await call.core.generatedTests.get.query({ generatedTestId })
  if (projectId !== undefined && projectId !== test.projectId) refuse('the test is of another project.')
  return factsOf(test.projectId, [test], offset)
}

function factsOf(projectId: string, tests: readonly GeneratedTest[], offset = 0): Output {
  const [first] = tests
  const next = first
    ? `Next: verify_test with projectId ${projectId} and generatedTestId ${first.id}. Write to its filePath only what is accepted.`
    : 'Nothing was written. The warnings say why; another target may do, or suggest_tests.'
  return {
    projectId,
    ...(first ? { commitSha: first.commitSha } : {}),
    tests: tests.map((test) => testFact(test, offset)),
    note: dataNotice,
    next,
  }
}

function testFact({ id, filePath, testType, description, framework, verdict, code }: GeneratedTest, offset: number) {
  const whole = cleanText(code)
  const part = whole.slice(offset, offset + lengthThatFits(whole.slice(offset)))
  const end = offset + part.length
  return {
    id,
    filePath: shorten(cleanName(filePath), 200),
    testType,
    description: shorten(cleanLine(description), 500),
    ...(framework === null ? {} : { framework: shorten(cleanLine(framework), 60) }),
    ...(verdict === null ? {} : { verdict }),
    code: part,
    ...(end < whole.length ? { nextOffset: end } : {}),
  } satisfies TestFact
}

function lengthThatFits(code: string): number {
  const cut = shorten(code, longestCode)
  return cut === code ? code.length : cut.length - 1
}

function render({ projectId, commitSha, tests, others = [], warnings = [], note, next }: Output): string {
  const stored = tests.length + others.length
  const head = `${stored} ${stored === 1 ? 'test' : 'tests'} for project ${projectId}${commitSha ? `, written for commit ${commitSha}` : ''}.`
  return [
    head,
    note,
    ...tests.flatMap(renderTest),
    ...(others.length > 0
      ? [
          `${others.length} more did not fit into the answer: ${others.map(({ id, filePath }) => `${filePath} (${id})`).join(', ')}. Call generate_tests with the generatedTestId of one to read it.`,
        ]
      : []),
    ...warnings.map((warning) => `Warning: ${warning}`),
    next,
  ].join('\n')
}

function renderTest({ id, filePath, testType, framework, verdict, description, code, nextOffset }: TestFact): string[] {
  const kind = [testType, framework].filter(Boolean).join(', ')
  return [
    `${filePath} (${id}), ${kind}, ${verdict ?? 'not verified'}: ${description}`,
    fence(code),
    ...(nextOffset === undefined
      ? []
      : [`The code goes on: call generate_tests with generatedTestId ${id} and offset ${nextOffset}.`]),
  ]
}
