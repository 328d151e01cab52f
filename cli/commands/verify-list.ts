import { type Command, Option } from 'commander'
import { ListVerifications } from '../../core/verifications/schema.ts'
import type { Context } from '../context.ts'
import { openContext } from '../context.ts'
import { addPageOptions, addProjectOption, type PageOptions, type ProjectOptions } from '../options.ts'
import { bold } from '../output.ts'
import { resolveProject } from '../project.ts'
import { ago, cancelledLine } from '../words.ts'

interface ListOptions extends PageOptions, ProjectOptions, Pick<ListVerifications, 'status'> {
  change?: boolean
}

/** Adds the list of verifications, and their cancellation. */
export function addVerifyList(verify: Command): void {
  const list = verify.command('list').description('list verifications of tests, or of changes, newest first')
  list
    .option('--change', 'list those of changes')
    .addOption(
      new Option('--status <status>', 'list only verifications with this status').choices(
        ListVerifications.shape.status.unwrap().options,
      ),
    )
    .action(listVerifications)
  addPageOptions(addProjectOption(list))
  verify
    .command('cancel')
    .description('cancel a verification; its processes end within seconds')
    .argument('<verification>', 'id of the verification')
    .option('--change', 'it is the verification of a change')
    .action(cancelVerification)
}

async function listVerifications(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const options = command.optsWithGlobals<ListOptions>()
  const client = await context.core()
  const { id: projectId } = await resolveProject(client, options.project, context)
  const { limit, offset, status } = options
  if (options.change === true) {
    const page = await client.changes.list.query({ projectId, limit, offset, status })
    const rows = page.changes.map((one) => ({ ...one, about: one.head ?? one.snapshotId ?? '' }))
    show(page, rows, page.pagination, context)
    return
  }
  const page = await client.tests.listVerifications.query({ projectId, limit, offset, status })
  const rows = page.verifications.map((one) => ({ ...one, about: one.filePath }))
  show(page, rows, page.pagination, context)
}

interface Row {
  id: string
  status: string
  verdict: string | null
  isProvisional: boolean
  about: string
  createdAt: string
}

function show(
  answer: object,
  rows: readonly Row[],
  { total, offset }: { total: number; offset: number },
  { out }: Context,
) {
  out.answer(answer, () => {
    out.table(
      ['ID', 'VERDICT', 'WHAT', 'STARTED'],
      rows.map(({ id, status, verdict, isProvisional, about, createdAt }) => [
        id,
        verdict === null ? status : isProvisional ? `${verdict} (${status})` : verdict,
        bold(about),
        ago(createdAt),
      ]),
    )
    out.pageEnd(rows.length, { total, offset })
    if (total === 0) out.hint('Nothing was verified yet. `assay verify FILE` verifies a test.')
  })
}

async function cancelVerification(id: string, _options: unknown, command: Command): Promise<void> {
  const { out, core } = openContext(command)
  const client = await core()
  const isChange = command.optsWithGlobals<ListOptions>().change === true
  const cancelled = isChange
    ? await client.changes.cancel.mutate({ changeId: id })
    : await client.tests.cancelVerification.mutate({ verificationId: id })
  out.answer(cancelled, () => out.line(cancelledLine('verification', cancelled)))
}
