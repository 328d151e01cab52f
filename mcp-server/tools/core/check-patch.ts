import { z } from 'zod'
import { CheckGate, type Gate } from '../../../core/gate/schema.ts'
import { GateFacts, gateFacts } from '../../answers/gate-facts.ts'
import { LocalPath, refuseBeside, sendCheckout } from '../../answers/send-checkout.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const Input = z.object({
  projectId: Id.optional(),
  localPath: LocalPath,
  branch: z.string().max(255).optional(),
  pullRequest: CheckGate.shape.pullRequest,
  base: z.string().max(255).optional(),
  waitSeconds: z.int().min(0).max(45).default(20),
})
type Input = z.output<typeof Input>

export const checkPatch = defineTool({
  name: 'check_patch',
  title: 'Check a patch',
  description:
    'Says whether a change may be merged: failed rules, tests it breaks, its uncovered lines with cases and nearest test, what to do next. Judges runs and uploads of the change; call trigger_run first.',
  scope: 'tests:run',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: GateFacts,
  run: async (input, call) => {
    const { gate, sent } = await check(input, call)
    return gateFacts(gate, sent)
  },
})

async function check(input: Input, call: Call): Promise<{ gate: Gate; sent?: string }> {
  const { projectId, localPath, branch, pullRequest, base, waitSeconds } = input
  if (branch !== undefined && pullRequest !== undefined) refuse('give either branch or pullRequest, not both.')
  const wait = { base, waitSeconds }
  if (localPath !== undefined) {
    refuseBeside('localPath', { branch, pullRequest })
    const { state, words, projectId: id } = await sendCheckout({ localPath, projectId, tool: 'check_patch' }, call)
    const head = state.snapshotId === undefined ? { head: state.commitSha } : { snapshotId: state.snapshotId }
    return { gate: await call.core.gate.check.mutate({ projectId: id, ...head, ...wait }), sent: words }
  }
  if (projectId === undefined) {
    refuse(`give projectId${call.local ? ' or localPath' : ''}. list_projects shows the projects.`)
  }
  const head = branch === undefined ? {} : { head: branch }
  return {
    gate: await call.core.gate.check.mutate({
      projectId,
      ...head,
      ...(pullRequest !== undefined && { pullRequest }),
      ...wait,
    }),
  }
}
