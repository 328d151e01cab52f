import { z } from 'zod'
import { type Change, VerifyChange } from '../../../core/changes/schema.ts'
import { resolveHead } from '../../../client/committed-checkout.ts'
import { changeProgress } from '../../../client/progress.ts'
import { UserError } from '../../../client/user-error.ts'
import { ChangeFacts, changeFacts } from '../../answers/change-facts.ts'
import { LocalPath, refuseBeside, sendCheckout, type SentState } from '../../answers/send-checkout.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const maxWaitSeconds = 45

const Input = z.object({
  projectId: Id.optional(),
  localPath: LocalPath,
  branch: z.string().max(255).optional(),
  commitSha: z.string().max(64).optional(),
  base: z.string().max(255).optional().describe('Default: where the branch left the default branch'),
  expect: VerifyChange.shape.expect.removeDefault().optional().describe('same: a refactoring'),
  changeId: Id.optional().describe('Wait for this verification'),
  detail: z.boolean().optional().describe('More evidence'),
  waitSeconds: z.int().min(0).max(maxWaitSeconds).default(maxWaitSeconds),
})
type Input = z.output<typeof Input>

export const verifyChange = defineTool({
  name: 'verify_change',
  title: 'Verify a change',
  description:
    'Decides whether tests prove a whole change; call it after a change, before you say it is done. Runs the tests before and ' +
    'after it, and changes its code; returns verdict, broken tests, unproved lines, and what to assert.',
  scope: 'tests:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: ChangeFacts,
  namesAmount: ({ detail }) => detail === true,
  task: ({ changeId, status }) => (isUnended(status) ? `change_${changeId}` : undefined),
  run: async (input, call) => {
    const deadline = Date.now() + input.waitSeconds * 1_000
    const { detail = false } = input
    if (input.changeId !== undefined) {
      const change = await waitUntilEnded(requireNothingElse(input), { isNew: false, deadline }, call)
      return changeFacts(change, { detail })
    }
    const { id, state, branch } = await start(input, call)
    const change = await waitUntilEnded(id, { isNew: true, deadline }, call)
    return changeFacts(change, { detail, state, branch })
  },
})

const isUnended = (status: Change['status']) => status === 'pending' || status === 'running'

function requireNothingElse({ changeId = '', ...others }: Input): string {
  const superfluous = Object.keys(others).find((name) => name !== 'waitSeconds' && name !== 'detail')
  if (superfluous !== undefined) {
    refuse(`changeId waits for a verification of a change. Leave out ${superfluous}, or changeId.`)
  }
  return changeId
}

interface Started {
  id: string
  state?: string
  branch?: string | null
}

async function start(input: Input, call: Call): Promise<Started> {
  const { projectId, localPath, branch, commitSha, base, expect } = input
  if (branch !== undefined && commitSha !== undefined) refuse('give either branch or commitSha, not both.')
  if (localPath !== undefined) {
    refuseBeside('localPath', { branch, commitSha })
    const sent = await sendCheckout({ localPath, projectId, tool: 'verify_change' }, call)
    const wanted = { base: await resolveHead(sent.repository.root, base), expect, ...headOf(sent) }
    const { id } = await call.core.changes.verify.mutate({ projectId: sent.projectId, ...wanted })
    return { id, state: sent.words, branch: sent.branch }
  }
  if (projectId === undefined) {
    refuse(`give projectId${call.local ? ', localPath' : ''} or changeId. list_projects shows the projects.`)
  }
  const head = branch ?? commitSha
  const { id } = await call.core.changes.verify.mutate({ projectId, base, expect, ...(head !== undefined && { head }) })
  return { id }
}

const headOf = ({ state }: SentState) =>
  state.snapshotId === undefined ? { head: state.commitSha } : { snapshotId: state.snapshotId }

/** Waits in short steps where the client asks for progress. After the time it returns what is known. */
async function waitUntilEnded(
  id: string,
  { isNew, deadline }: { isNew: boolean; deadline: number },
  call: Call,
): Promise<Change> {
  try {
    for (;;) {
      const left = Math.max(0, Math.floor((deadline - Date.now()) / 1_000))
      const waitSeconds = Math.min(left, call.wantsProgress ? 1 : maxWaitSeconds)
      const change = await call.core.changes.get.query({ changeId: id, waitSeconds, final: true })
      if (change.completedAt !== null || left === 0) return change
      call.reportProgress(changeProgress(change))
    }
  } catch (error) {
    const { coreFailure, isRefusal } = await import('../../../client/core-client.ts')
    const failure = coreFailure(error)
    if (!isNew && isRefusal(error, 'NOT_FOUND')) {
      throw new UserError(
        'verify_change failed. There is no such verification of a change. Give projectId of a project to start one: list_projects shows the ids.',
      )
    }
    if (!isNew || !failure) throw error
    // Without its id the agent would lose the verification.
    const { explainFailure } = await import('../../answers/explain-failure.ts')
    const why = explainFailure(failure, { baseUrl: 'its address' })
    throw new UserError(
      `The verification ${id} of the change was started and is running, but its result could not be read. ${why} ` +
        `Then call verify_change with changeId ${id}.`,
    )
  }
}
