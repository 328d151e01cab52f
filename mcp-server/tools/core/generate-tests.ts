import { z } from 'zod'
import { type GeneratedTest, GeneratedTest as StoredTest } from '../../../core/generated-tests/schema.ts'
import { cleanText, shorten } from '../../../client/sanitize.ts'
import { UserError } from '../../../client/user-error.ts'
import { dataNotice } from '../../answers/output.ts'
import { first, maybe, untrusted } from '../../answers/untrusted.ts'
import { afterFirstAnalysis } from '../../answers/wait-for-analysis.ts'
import { LocalPath, sendCheckout } from '../../answers/send-checkout.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

/** A test of this size fits under the hard cap in both forms of the answer. */
const maxCodeBytes = 7_000

const Input = z.object({
  projectId: Id.optional(),
  localPath: LocalPath,
  suggestionId: Id.optional(),
  targetPath: z.string().max(1_024).optional(),
  targetSymbol: z.string().max(500).optional(),
  framework: z.string().max(100).optional(),
  // Core checks the bounds: each one listed here costs every client tokens.
  count: z.int().optional(),
  generatedTestId: Id.optional().describe('Read a stored test instead'),
  offset: z
    .int()
    .refine((offset) => offset >= 0, 'must not be negative')
    .optional(),
})
type Input = z.output<typeof Input>

const Path = untrusted.name(200)

const TestFact = StoredTest.pick({ id: true, url: true, testType: true }).extend({
  filePath: Path,
  description: untrusted.line(500),
  framework: maybe(untrusted.line(60)),
  verdict: maybe(StoredTest.shape.verdict.unwrap()),
  code: z.string(),
  /** Where the rest of the code begins. */
  nextOffset: z.int().optional(),
})

const Output = z.object({
  projectId: z.string(),
  commitSha: z.string().optional(),
  /** Which state of a checkout was sent. */
  state: maybe(untrusted.line(700)),
  tests: z.array(TestFact),
  /** Stored too, and left out of the answer. */
  others: z.array(z.object({ id: z.string(), filePath: Path })).optional(),
  cut: z.string().optional(),
  warnings: maybe(first(5, untrusted.line(200))),
  note: z.string(),
  next: z.string(),
})

export const generateTests = defineTool({
  name: 'generate_tests',
  title: 'Generate tests',
  description:
    'Writes tests with AI for a suggestion, or for a file or symbol, and stores them. They have not run: call ' +
    'verify_test with their id.',
  scope: 'analysis:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: Output,
  namesAmount: ({ count }) => count !== undefined,
  run: async (input, call) => (input.generatedTestId === undefined ? writeTests(input, call) : readTest(input, call)),
  cut: ({ tests, ...facts }) => ({
    count: tests.length,
    keep: (count) => ({
      ...facts,
      tests: tests.slice(0, count),
      others: tests.slice(count).map(({ id, filePath }) => ({ id, filePath })),
      cut: `${tests.length - count} more did not fit into the answer. Call generate_tests with the generatedTestId of one to read it.`,
    }),
  }),
})

async function writeTests(input: Input, call: Call): Promise<z.input<typeof Output>> {
  const { localPath, suggestionId, targetPath, targetSymbol, framework, count } = input
  if (input.offset !== undefined) refuse('offset continues in the code of one test: give its generatedTestId.')
  if (input.projectId === undefined && localPath === undefined) {
    refuse(`give projectId${call.local ? ' or localPath' : ''}. list_projects shows the ids.`)
  }
  if ((suggestionId === undefined) === (targetPath === undefined)) {
    refuse('give either suggestionId, which suggest_tests returns, or targetPath.')
  }
  if (targetPath === undefined && targetSymbol !== undefined) refuse('targetSymbol needs the targetPath of its file.')
  const target = targetPath === undefined ? {} : { target: { path: targetPath, symbol: targetSymbol } }
  if (localPath !== undefined && suggestionId !== undefined) {
    refuse('a suggestion belongs to the commit that was analyzed. With localPath give its targetPath and targetSymbol.')
  }
  const checkout = { localPath: localPath ?? '', projectId: input.projectId, tool: 'generate_tests' }
  const sent = localPath === undefined ? undefined : await sendCheckout(checkout, call)
  const projectId = sent?.projectId ?? input.projectId ?? ''
  const wanted = { projectId, ...sent?.state, suggestionId, ...target, framework, count, waitSeconds: 0 }
  const generated = await afterFirstAnalysis(() => call.core.analysis.generateTests.mutate(wanted), call)
  if (!generated) throw new UserError('The analysis is still running. Call generate_tests again to wait for it.')
  const { tests, warnings } = generated
  const facts = factsOf(projectId, tests, { isOfSnapshot: sent?.state.snapshotId !== undefined })
  return { ...facts, warnings, state: sent?.words }
}

async function readTest(input: Input, call: Call): Promise<z.input<typeof Output>> {
  const { generatedTestId = '', offset = 0, projectId, ...others } = input
  const [superfluous] = Object.keys(others)
  if (superfluous !== undefined)
    refuse(`generatedTestId reads a stored test. Leave out ${superfluous}, or generatedTestId.`)
  const test = await call.core.generatedTests.get.query({ generatedTestId })
  if (projectId !== undefined && projectId !== test.projectId) refuse('the test belongs to another project.')
  return factsOf(test.projectId, [test], { offset, isOfSnapshot: test.snapshotId !== null })
}

function factsOf(projectId: string, tests: readonly GeneratedTest[], { offset = 0, isOfSnapshot = false }) {
  const [one] = tests
  const parts = tests.map((test) => partOf(test, offset))
  const rest = parts.flatMap(({ id, nextOffset }) =>
    nextOffset === undefined
      ? []
      : [`The code continues: call generate_tests with generatedTestId ${id} and offset ${nextOffset}.`],
  )
  const next = one
    ? `${one.verdict ? '' : 'Not verified yet. '}Next: verify_test with projectId ${projectId}${isOfSnapshot ? ', the same localPath' : ''} and generatedTestId ${one.id}. Write only an accepted test to its filePath.`
    : 'No test was written. The warnings say why; try another target, or suggest_tests.'
  return {
    projectId,
    commitSha: one?.commitSha,
    tests: parts,
    note: dataNotice,
    next: [...rest, next].join(' '),
  }
}

function partOf(test: GeneratedTest, offset: number) {
  const whole = cleanText(test.code)
  const code = whole.slice(offset, offset + lengthThatFits(whole.slice(offset)))
  const end = offset + code.length
  return { ...test, code, ...(end < whole.length ? { nextOffset: end } : {}) }
}

function lengthThatFits(code: string): number {
  const cut = shorten(code, maxCodeBytes)
  return cut === code ? code.length : cut.length - 1
}
