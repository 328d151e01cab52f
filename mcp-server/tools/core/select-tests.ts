import { z } from 'zod'
import { SelectTests } from '../../../core/selection/schema.ts'
import { SelectionFacts, selectionFacts } from '../../answers/selection-facts.ts'
import { LocalPath, refuseBeside, sendCheckout } from '../../answers/send-checkout.ts'
import { type Call, defineTool, Id, refuse } from '../tool.ts'

const Input = z.object({
  projectId: Id.optional(),
  localPath: LocalPath,
  branch: z.string().max(255).optional(),
  base: z.string().max(255).optional(),
  budgetSeconds: SelectTests.shape.budgetSeconds,
})
type Input = z.output<typeof Input>

export const selectTests = defineTool({
  name: 'select_tests',
  title: 'Select tests',
  description: 'Lists the test files that can notice a change, each with its reason; all where that is not certain.',
  scope: 'tests:read',
  hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: Input,
  localArguments: ['localPath'],
  outputSchema: SelectionFacts,
  run: async (input, call) => {
    const { projectId, sent, head } = await stateOf(input, call)
    const { base, budgetSeconds } = input
    const wanted = { ...(base !== undefined && { base }), ...(budgetSeconds !== undefined && { budgetSeconds }) }
    const selected = await call.core.testRuns.select.mutate({ projectId, ...head, ...wanted })
    return selectionFacts({ projectId, sent }, selected)
  },
})

interface Stated {
  projectId: string
  /** Which state of a checkout was sent. */
  sent?: string
  head: { head?: string; snapshotId?: string }
}

async function stateOf({ projectId, localPath, branch }: Input, call: Call): Promise<Stated> {
  if (localPath !== undefined) {
    refuseBeside('localPath', { branch })
    const { state, words, projectId: id } = await sendCheckout({ localPath, projectId, tool: 'select_tests' }, call)
    const head = state.snapshotId === undefined ? { head: state.commitSha } : { snapshotId: state.snapshotId }
    return { projectId: id, sent: words, head }
  }
  if (projectId === undefined) {
    refuse(`give projectId${call.local ? ' or localPath' : ''}. list_projects shows the projects.`)
  }
  return { projectId, head: branch === undefined ? {} : { head: branch } }
}
