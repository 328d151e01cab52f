import { resolve } from 'node:path'
import { z } from 'zod'
import { compareWithCommit } from '../../../client/compare-working-tree.ts'
import { type Verification, VerifyTest } from '../../../core/verifications/schema.ts'
import { describeLocalRepository } from '../../../client/local-repository.ts'
import { type LocalTestFile, readLocalTestFile } from '../../../client/local-test-file.ts'
import { keepLocal } from '../../../client/verification-words.ts'
import { verificationProgress } from '../../../client/progress.ts'
import { findUncommitted } from '../../../client/uncommitted.ts'
import { UserError } from '../../../client/user-error.ts'
import {
  type FoundProject,
  LocalPath,
  projectOfCheckout,
  refuseBeside,
  sendCheckout,
} from '../../answers/send-checkout.ts'
import { VerificationFacts, verificationFacts, verificationForm } from '../../answers/verification-facts.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const maxWaitSeconds = 45
/** A final verdict that follows this soon saves the agent a second call. */
const finalWithinMs = 10_000

const Input = z.object({
  projectId: Id.optional(),
  filePath: VerifyTest.shape.filePath,
  code: VerifyTest.shape.code,
  localFile: z
    .string()
    .max(4_096)
    .optional()
    .describe('Local test file, absolute or in localPath, instead of filePath and code'),
  localPath: LocalPath,
  generatedTestId: Id.optional(),
  suggestionId: Id.optional(),
  targetPath: z.string().max(1_024).optional().describe('Code under test'),
  targetSymbol: z.string().max(500).optional(),
  branch: VerifyTest.shape.branch,
  commitSha: VerifyTest.shape.commitSha,
  // Core checks the bounds: each one listed here costs every client tokens.
  repeats: z.int().optional(),
  budgetSeconds: z
    .int()
    .optional()
    .describe('After this time, no more mutants are tried before a provisional verdict: 10 to 3600, default 60'),
  verificationId: Id.optional().describe('Wait for this verification'),
  waitSeconds: z.int().min(0).max(maxWaitSeconds).default(maxWaitSeconds),
})
type Input = z.output<typeof Input>

export const verifyTest = defineTool({
  name: 'verify_test',
  title: 'Verify a test',
  description:
    'Checks whether a test is worth keeping. Runs it; returns verdict, failures and undetected code changes. ' +
    'Give filePath and code, or generatedTestId.',
  scope: 'tests:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localFile', 'localPath'],
  outputSchema: VerificationFacts,
  task: ({ verificationId, status }) =>
    status === 'pending' || status === 'running' ? `verification_${verificationId}` : undefined,
  run: async (input, call) => {
    const deadline = Date.now() + input.waitSeconds * 1_000
    if (input.verificationId !== undefined) {
      const verificationId = requireNothingElse(input)
      return verificationFacts(await waitForVerdict(verificationId, { isNew: false, deadline }, call))
    }
    const test = await readLocal(input, call)
    const { id, ...sent } = await start(input, test, call)
    const verification = await waitForVerdict(id, { isNew: true, deadline }, call)
    const facts = { ...verificationFacts(verification), ...(sent.state !== undefined && { state: sent.state }) }
    return test ? withWorkingTree(facts, test, { verification, headSha: sent.headSha }) : facts
  },
  ...verificationForm,
})

interface Tried {
  verification: Verification
  /** The commit of a checkout that was sent; null before its first one, undefined if none was sent. */
  headSha: string | null | undefined
}

async function withWorkingTree(
  facts: VerificationFacts,
  test: LocalTestFile,
  { verification, headSha }: Tried,
): Promise<VerificationFacts> {
  if (verification.completedAt === null) return facts
  if (headSha !== undefined) {
    if (facts.verdict !== 'accepted') return facts
    return { ...facts, next: keepLocal(test, await isCommitted(test, headSha)) }
  }
  const { next, isCommitted: isKept, warnings: found } = await findUncommitted(test, verification)
  const warnings = [...found, ...(facts.warnings ?? [])]
  return {
    ...facts,
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(facts.verdict === 'accepted' && next === undefined ? { next: keepLocal(test, isKept) } : {}),
    ...(next === undefined
      ? {}
      : { next: facts.verdict === 'not_built' ? `${next} Then call verify_test again.` : `${next} ${facts.next}` }),
  }
}

/** Whether a commit of the checkout has the test file as it is. */
async function isCommitted({ repository, filePath }: LocalTestFile, headSha: string | null): Promise<boolean> {
  const differences = headSha === null ? undefined : await compareWithCommit(repository.root, headSha)
  return differences !== undefined && !differences.some(({ path }) => path === filePath)
}

function requireNothingElse({ verificationId = '', ...others }: Input): string {
  const superfluous = Object.keys(others).find((name) => name !== 'waitSeconds')
  if (superfluous !== undefined) {
    refuse(`verificationId waits for a verification. Leave out ${superfluous}, or verificationId.`)
  }
  return verificationId
}

interface Started {
  id: string
  /** Which state of a checkout was sent. */
  state?: string
  headSha?: string | null
}

async function start(input: Input, test: LocalTestFile | undefined, call: Call): Promise<Started> {
  const { targetPath, targetSymbol, localFile: _, localPath, waitSeconds: __, verificationId: ___, ...given } = input
  if (targetPath === undefined && targetSymbol !== undefined) refuse('targetSymbol needs the targetPath of its file.')
  const target = targetPath === undefined ? {} : { target: { path: targetPath, symbol: targetSymbol } }
  const { projectId, branch, commitSha } = given
  const { verify } = call.core.tests
  const isCommit = branch !== undefined || commitSha !== undefined
  if (localPath !== undefined) refuseBeside('localPath', { branch, commitSha })
  if (test && isCommit) {
    const { repository, filePath, code } = test
    const { id, added }: FoundProject =
      projectId === undefined ? await projectOfCheckout(repository, 'verify_test', call) : { id: projectId }
    const wanted = { ...given, ...target, projectId: id, filePath, code }
    return { id: (await verify.mutate(wanted)).id, ...(added !== undefined && { state: added }) }
  }
  const checkout = test?.repository.root ?? localPath
  if (checkout !== undefined) {
    const { filePath, code } = test ?? given
    // The test is judged against the one that is committed, or as a new one.
    const except = filePath === undefined ? undefined : [filePath]
    const sent = await sendCheckout({ localPath: checkout, projectId, except, tool: 'verify_test' }, call)
    const { state, words, headSha } = sent
    const wanted = { ...given, ...target, projectId: sent.projectId, filePath, code, ...state }
    return { id: (await verify.mutate(wanted)).id, state: words, headSha }
  }
  if (projectId === undefined) {
    refuse(
      `give projectId${call.local ? ', localFile, localPath' : ''} or verificationId. list_projects shows the projects.`,
    )
  }
  return { id: (await verify.mutate({ ...given, ...target, projectId })).id }
}

async function readLocal(input: Input, call: Call): Promise<LocalTestFile | undefined> {
  if (input.localFile === undefined) return undefined
  const misplaced = (['filePath', 'code', 'generatedTestId'] as const).find((name) => input[name] !== undefined)
  if (misplaced) refuse(`localFile replaces filePath and code. Leave out ${misplaced}, or localFile.`)
  if (!call.local) refuse('localFile works only over stdio.')
  const test = await readLocalTestFile(resolve(input.localPath ?? '', input.localFile))
  if (input.localPath === undefined) return test
  const { root } = await describeLocalRepository(input.localPath)
  return root === test.repository.root ? test : refuse('localFile belongs to another checkout than localPath.')
}

/**
 * Waits for the first verdict of a new verification, which may be provisional, and for the final one of an earlier one. In
 * short steps where the client asks for progress.
 */
async function waitForVerdict(
  id: string,
  { isNew, ...wait }: { isNew: boolean; deadline: number },
  call: Call,
): Promise<Verification> {
  let { deadline } = wait
  try {
    for (let final = !isNew; ;) {
      const left = Math.max(0, Math.floor((deadline - Date.now()) / 1_000))
      const waitSeconds = Math.min(left, call.wantsProgress ? 1 : maxWaitSeconds)
      const verification = await call.core.tests.getVerification.query({ verificationId: id, waitSeconds, final })
      if (verification.completedAt !== null || left === 0) return verification
      if (verification.isProvisional && !final) {
        final = true
        deadline = Math.min(deadline, Date.now() + finalWithinMs)
      }
      call.reportProgress(verificationProgress(verification))
    }
  } catch (error) {
    const { coreFailure, isRefusal } = await import('../../../client/core-client.ts')
    const failure = coreFailure(error)
    if (!isNew && isRefusal(error, 'NOT_FOUND')) {
      throw new UserError(
        'verify_test failed. There is no such verification. Give filePath and code of a test to start one.',
      )
    }
    if (!isNew || !failure) throw error
    // Without its id the agent would lose the verification.
    const { explainFailure } = await import('../../answers/explain-failure.ts')
    const why = explainFailure(failure, { baseUrl: 'its address' })
    throw new UserError(
      `The verification ${id} was started and is running, but its result could not be read. ${why} ` +
        `Then call verify_test with verificationId ${id}.`,
    )
  }
}
