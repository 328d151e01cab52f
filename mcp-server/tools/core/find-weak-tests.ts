import { z } from 'zod'
import { resolveHead } from '../../../client/committed-checkout.ts'
import { describeLocalRepository } from '../../../client/local-repository.ts'
import { requireMeasurable } from '../../../client/measured-code.ts'
import { measurementProgress } from '../../../client/progress.ts'
import { UserError } from '../../../client/user-error.ts'
import type { Measurement } from '../../../core/strength/schema.ts'
import { ScopeArguments } from '../../answers/scope-arguments.ts'
import { LocalPath, refuseBeside, sendCheckout } from '../../answers/send-checkout.ts'
import { StrengthFacts, strengthFacts } from '../../answers/strength-facts.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const maxWaitSeconds = 45
/** An answer has room for about so many. The agent can begin with them. */
const enoughSurvivors = 10

const { paths } = ScopeArguments
const since = ScopeArguments.since.describe('Only files changed since this branch, tag or commit')

const Input = z.object({
  projectId: Id.optional(),
  localPath: LocalPath,
  // Core checks the bounds: each one listed here costs every client tokens.
  branch: z.string().optional(),
  commitSha: z.string().optional(),
  paths,
  since,
  budgetSeconds: z.int().optional().describe('Default 120, begins after the install'),
  again: z.boolean().optional().describe('Ignore earlier results'),
  measurementId: Id.optional().describe('Wait for this measurement'),
  waitSeconds: z.int().min(0).max(maxWaitSeconds).default(maxWaitSeconds),
})
type Input = z.output<typeof Input>

export const findWeakTests = defineTool({
  name: 'find_weak_tests',
  title: 'Find weak tests',
  description:
    'Changes the code in small ways, and returns the changes that no test notices, best first, with what to assert, and the ' +
    'share that tests notice. Call it before and after you write tests.',
  scope: 'tests:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: StrengthFacts,
  task: ({ measurementId, status }) =>
    status === 'pending' || status === 'running' ? `measurement_${measurementId}` : undefined,
  run: async (input, call) => {
    const deadline = Date.now() + input.waitSeconds * 1_000
    if (input.measurementId !== undefined) {
      return strengthFacts(await waitUntilEnded(requireNothingElse(input), { isNew: false, deadline }, call))
    }
    const { id, state } = await start(input, call)
    return strengthFacts(await waitUntilEnded(id, { isNew: true, deadline }, call), state)
  },
})

function requireNothingElse({ measurementId = '', ...others }: Input): string {
  const superfluous = Object.keys(others).find((name) => name !== 'waitSeconds')
  if (superfluous !== undefined) {
    refuse(`measurementId waits for a measurement. Leave out ${superfluous}, or measurementId.`)
  }
  return measurementId
}

async function start(input: Input, call: Call): Promise<{ id: string; state?: string }> {
  const { projectId, localPath, branch, commitSha, paths, since, budgetSeconds, again } = input
  if (localPath !== undefined) {
    refuseBeside('localPath', { branch, commitSha })
    if (call.local) {
      const { root } = await describeLocalRepository(localPath)
      await requireMeasurable(root, { paths, since }, { paths: 'paths', since: 'since' })
    }
    const sent = await sendCheckout({ localPath, projectId, tool: 'find_weak_tests' }, call)
    const { id } = await call.core.strength.measure.mutate({
      projectId: sent.projectId,
      ...sent.state,
      paths,
      since: await resolveHead(sent.repository.root, since),
      budgetSeconds,
      again,
    })
    return { id, state: sent.words }
  }
  if (projectId === undefined) {
    refuse(`give projectId${call.local ? ', localPath' : ''} or measurementId. list_projects shows the projects.`)
  }
  return call.core.strength.measure.mutate({ projectId, branch, commitSha, paths, since, budgetSeconds, again })
}

/**
 * Waits for the end or for more survivors than at first, in short steps where the client asks for progress. After the time
 * it returns what is known.
 */
async function waitUntilEnded(
  id: string,
  { isNew, deadline }: { isNew: boolean; deadline: number },
  call: Call,
): Promise<Measurement> {
  try {
    // Of a measurement that this caller has seen, those that it has are no news.
    const seen = isNew ? 0 : survivedOf(await call.core.strength.get.query({ measurementId: id, waitSeconds: 0 }))
    const survivorsAfter = seen + enoughSurvivors - 1
    for (;;) {
      const left = Math.max(0, Math.floor((deadline - Date.now()) / 1_000))
      const waitSeconds = Math.min(left, call.wantsProgress ? 1 : maxWaitSeconds)
      const measurement = await call.core.strength.get.query({ measurementId: id, waitSeconds, survivorsAfter })
      const isEnough = survivedOf(measurement) > survivorsAfter
      if (measurement.completedAt !== null || left === 0 || isEnough) return measurement
      call.reportProgress(measurementProgress(measurement))
    }
  } catch (error) {
    const { coreFailure, isRefusal } = await import('../../../client/core-client.ts')
    const failure = coreFailure(error)
    if (!isNew && isRefusal(error, 'NOT_FOUND')) {
      throw new UserError(
        'find_weak_tests failed. There is no such measurement. To start one, pass a projectId from list_projects.',
      )
    }
    if (!isNew || !failure) throw error
    // Without its id the agent would lose the measurement.
    const { explainFailure } = await import('../../answers/explain-failure.ts')
    const why = explainFailure(failure, { baseUrl: 'its address' })
    throw new UserError(
      `The measurement ${id} was started and is running, but its result could not be read. ${why} ` +
        `Then call find_weak_tests with measurementId ${id}.`,
    )
  }
}

const survivedOf = ({ evidence }: Measurement) => evidence?.survived ?? 0
