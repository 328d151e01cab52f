import type { Command } from 'commander'
import { minute, sizeWords } from '../../client/snapshot-words.ts'
import { openContext } from '../context.ts'
import { addGroup, addPageOptions, addProjectOption, type PageOptions, type ProjectOptions } from '../options.ts'
import { resolveProject } from '../project.ts'
import { confirm } from '../prompt.ts'

export function addSnapshots(program: Command): void {
  const description = 'list and delete the snapshots of working trees that were sent for a project'
  const snapshots = addGroup(program, 'snapshots', description, listSnapshots)
  addProjectOption(addPageOptions(snapshots))
  const list = snapshots.command('list').description('list snapshots, newest first')
  addProjectOption(addPageOptions(list)).action(listSnapshots)
  snapshots
    .command('delete')
    .description('delete a snapshot; results of it stay')
    .argument('<id>', 'id from `assay snapshots`')
    .option('--yes', 'skip the confirmation')
    .action(deleteSnapshot)
}

async function listSnapshots(_options: unknown, command: Command): Promise<void> {
  const context = openContext(command)
  const { out } = context
  const { limit, offset, project } = command.optsWithGlobals<PageOptions & ProjectOptions>()
  const core = await context.core()
  const { id: projectId } = await resolveProject(core, project, context)
  const [page, { user }] = await Promise.all([
    core.snapshots.list.query({ projectId, limit, offset }),
    core.tokens.current.query(),
  ])
  out.answer(page, () => {
    out.table(
      ['ID', 'COMMIT', 'BASE', 'FILES', 'SIZE', 'SENT BY', 'SENT', 'EXPIRES', 'BRANCH'],
      page.snapshots.map(({ id, commitSha, headSha, baseSha, files, bytes, userId, createdAt, expiresAt, branch }) => [
        id,
        commitSha.slice(0, 10),
        (headSha ?? baseSha)?.slice(0, 10) ?? '-',
        String(files),
        sizeWords(bytes),
        userId === user.id ? 'you' : 'another member',
        minute(createdAt),
        expiresAt.slice(0, 10),
        branch ?? '-',
      ]),
    )
    out.pageEnd(page.snapshots.length, { total: page.pagination.total, offset })
    if (page.pagination.total === 0) out.hint('The project has no snapshots.')
  })
}

async function deleteSnapshot(snapshotId: string, options: { yes?: boolean }, command: Command): Promise<void> {
  const context = openContext(command)
  const core = await context.core()
  const { id } = await core.snapshots.get.query({ snapshotId })
  await confirm(`This deletes the snapshot ${id}. Its runs, analyses and verifications stay.`, options, context)
  const deleted = await core.snapshots.delete.mutate({ snapshotId: id })
  context.out.answer(deleted, () => context.out.line(`Deleted snapshot ${id}.`))
}
