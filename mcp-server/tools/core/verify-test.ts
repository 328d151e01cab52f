import { z } from 'zod'
import { type Verification, VerifyTest } from '../../../core/verifications/schema.ts'
import { findLocalProject } from '../../../client/find-project.ts'
import { type LocalTestFile, readLocalTestFile } from '../../../client/local-test-file.ts'
import { keepLocal } from '../../../client/verification-words.ts'
import { cleanName, shorten } from '../../../client/sanitize.ts'
import { verificationProgress } from '../../../client/progress.ts'
import { findUncommitted } from '../../../client/uncommitted.ts'
import { UserError } from '../../../client/user-error.ts'
import { howToCreate } from '../../answers/find-project.ts'
import { VerificationFacts, verificationFacts, verificationForm } from '../../answers/verification-facts.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const maxWaitSeconds = 45

const Input = z.object({
  projectId: Id.optional(),
  filePath: VerifyTest.shape.filePath,
  code: VerifyTest.shape.code,
  localFile: z.string().max(4_096).optional().describe('Local test file, instead of filePath and code'),
  generatedTestId: Id.optional(),
  suggestionId: Id.optional(),
  targetPath: z.string().max(1_024).optional().describe('Code under test'),
  targetSymbol: z.string().max(500).optional(),
  branch: VerifyTest.shape.branch,
  commitSha: VerifyTest.shape.commitSha,
  // Core checks the bounds: each one listed here costs every client tokens.
  repeats: z.int().optional(),
  verificationId: Id.optional().describe('Wait for this verification'),
  waitSeconds: z.int().min(0).max(maxWaitSeconds).default(maxWaitSeconds),
})
type Input = z.output<typeof Input>

export const verifyTest = defineTool({
  name: 'verify_test',
  title: 'Verify a test',
  description:
    'Checks whether a test is worth keeping. Runs it on a commit; returns verdict, failures and undetected code changes. ' +
    'Give filePath and code, or generatedTestId.',
  scope: 'tests:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localFile'],
  outputSchema: VerificationFacts,
  task: ({ verificationId, status }) =>
    status === 'pending' || status === 'running' ? `verification_${verificationId}` : undefined,
  run: async (input, call) => {
    const deadline = Date.now() + input.waitSeconds * 1_000
    const test = input.verificationId === undefined ? await readLocal(input, call) : undefined
    const id = input.verificationId === undefined ? (await start(input, test, call)).id : requireNothingElse(input)
    const verification = await waitUntilEnded(id, input.verificationId === undefined, deadline, call)
    const facts = verificationFacts(verification)
    return test ? withWorkingTree(facts, test, verification) : facts
  },
  ...verificationForm,
})

/** A working tree can hold code that the project does not have. */
const ofCommit = 'It ran on that commit. Of your uncommitted and unpushed changes, only the test itself was there.'

async function withWorkingTree(
  facts: VerificationFacts,
  test: LocalTestFile,
  verification: Verification,
): Promise<VerificationFacts> {
  if (verification.completedAt === null) return facts
  const { next, isCommitted, warnings: found } = await findUncommitted(test, verification)
  const isKnown = next !== undefined || found.length > 0
  const mayMiss = !isKnown && facts.verdict !== undefined && facts.verdict !== 'accepted'
  const warnings = [...found, ...(facts.warnings ?? []), ...(mayMiss ? [ofCommit] : [])]
  return {
    ...facts,
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(facts.verdict === 'accepted' && next === undefined ? { next: keepLocal(test, isCommitted) } : {}),
    ...(next === undefined
      ? {}
      : { next: facts.verdict === 'not_built' ? `${next} Then call verify_test again.` : `${next} ${facts.next}` }),
  }
}

function requireNothingElse({ verificationId = '', ...others }: Input): string {
  const superfluous = Object.keys(others).find((name) => name !== 'waitSeconds')
  if (superfluous !== undefined) {
    refuse(`verificationId waits for a verification. Leave out ${superfluous}, or verificationId.`)
  }
  return verificationId
}

async function start(input: Input, test: LocalTestFile | undefined, call: Call): Promise<Verification> {
  const { targetPath, targetSymbol, localFile: _, waitSeconds: __, verificationId: ___, ...given } = input
  if (targetPath === undefined && targetSymbol !== undefined) refuse('targetSymbol needs the targetPath of its file.')
  const target = targetPath === undefined ? {} : { target: { path: targetPath, symbol: targetSymbol } }
  if (test) {
    const { repository, filePath, code } = test
    const projectId = given.projectId ?? (await projectOf(repository, call))
    return call.core.tests.verify.mutate({ ...given, ...target, projectId, filePath, code })
  }
  const { projectId } = given
  if (projectId === undefined) {
    refuse(`give projectId${call.local ? ', localFile' : ''} or verificationId. list_projects shows the projects.`)
  }
  return call.core.tests.verify.mutate({ ...given, ...target, projectId })
}

async function readLocal(input: Input, call: Call): Promise<LocalTestFile | undefined> {
  if (input.localFile === undefined) return undefined
  const misplaced = (['filePath', 'code', 'generatedTestId'] as const).find((name) => input[name] !== undefined)
  if (misplaced) refuse(`localFile replaces filePath and code. Leave out ${misplaced}, or localFile.`)
  if (!call.local) refuse('localFile works only over stdio.')
  return readLocalTestFile(input.localFile)
}

async function projectOf(repository: LocalTestFile['repository'], call: Call): Promise<string> {
  const project = await findLocalProject(call.core, repository)
  if (project) return project.id
  return refuse(
    `none of your projects has the repository of ${shorten(cleanName(repository.root), 500)}. ` +
      `Call ${howToCreate(repository, 'verify_test with the same localFile')}; or pass a projectId.`,
  )
}

/** Waits in short steps where the client asks for progress. */
async function waitUntilEnded(id: string, isNew: boolean, deadline: number, call: Call): Promise<Verification> {
  try {
    for (;;) {
      const left = Math.max(0, Math.floor((deadline - Date.now()) / 1_000))
      const waitSeconds = Math.min(left, call.wantsProgress ? 1 : maxWaitSeconds)
      const verification = await call.core.tests.getVerification.query({ verificationId: id, waitSeconds })
      if (verification.completedAt !== null || left === 0) return verification
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
