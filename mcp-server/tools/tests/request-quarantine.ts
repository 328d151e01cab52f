import { z } from 'zod'
import { QuarantineStatus, RequestQuarantine } from '../../../core/quarantine/schema.ts'
import { Label, testName } from '../../answers/failure-facts.ts'
import { peopleNotice } from '../../answers/output.ts'
import { maybe, untrusted } from '../../answers/untrusted.ts'
import { defineTool, Id } from '../tool.ts'

/** Only requests: a person decides whether failures of a test count. */
export const requestQuarantine = defineTool({
  name: 'request_quarantine',
  title: 'Request quarantine',
  description:
    'Asks people to mute a test that fails at random. Nothing changes until a person grants it. Fix the test rather than ask.',
  scope: 'tests:write',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  inputSchema: z.object({
    projectId: Id,
    testId: Id.pipe(RequestQuarantine.shape.testId),
    variant: RequestQuarantine.shape.variant,
    reason: RequestQuarantine.shape.reason,
    owner: RequestQuarantine.shape.owner,
    issueUrl: z.string().max(2_000).pipe(RequestQuarantine.shape.issueUrl.unwrap()).optional(),
  }),
  outputSchema: z.object({
    status: QuarantineStatus,
    quarantineId: z.string(),
    test: Label,
    variant: maybe(Label),
    days: z.int(),
    reason: untrusted.line(500),
    url: z.string(),
    note: z.string(),
    next: z.string(),
  }),
  run: async (input, { core }) => {
    const { id, url, ...quarantine } = await core.quarantine.request.mutate({ ...input, mode: 'muted' })
    return {
      ...quarantine,
      quarantineId: id,
      test: testName(quarantine),
      url,
      note: peopleNotice,
      next: `Tell the user: a person has to grant it, at the url or with \`assay quarantine grant ${id}\`. Until then the failures decide as before.`,
    }
  },
})
