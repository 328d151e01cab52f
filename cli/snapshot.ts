import type { Command } from 'commander'
import type { CoreClient } from '../client/core-client.ts'
import type { CommittedTree, SentSnapshot, SnapshotOptions } from '../client/snapshot.ts'
import { leftOutLines, sentLine, snapshotProgress } from '../client/snapshot-words.ts'
import type { TestRun } from '../core/test-runs/schema.ts'
import type { LeftOut } from '../engines/source/packing/left-out.ts'
import type { Context } from './context.ts'
import { repeated } from './options.ts'
import { pathInRepository } from './project.ts'

export interface IncludeOptions {
  include?: string[]
}

export function addIncludeOption(command: Command): Command {
  return command.option<string[] | undefined>(
    '--include <path>',
    'send this untracked file or folder although it looks like a credential (repeatable)',
    repeated,
  )
}

export interface Sending extends IncludeOptions {
  projectId: string
  /** The checkout. */
  root: string
  /** Files that the snapshot has as HEAD has them. Paths from the top of the checkout. */
  except?: readonly string[]
}

/** Sends the working tree unless the server has it as a commit, and says what it sent and left out. */
export async function sendCheckout(core: CoreClient, sending: Sending, context: Context) {
  const { sendChanges } = await import('../client/snapshot.ts')
  return announced(await sendChanges(...(await argumentsOf(core, sending, context))), context)
}

async function argumentsOf(core: CoreClient, { projectId, root, include, except }: Sending, context: Context) {
  const { out, signal } = context
  const options: SnapshotOptions = {
    include: include && (await Promise.all(include.map((path) => pathInRepository(path, context)))),
    except,
    onProgress: (progress) => out.progress(snapshotProgress(progress)),
    signal,
  }
  return [core, await context.credentials(), { id: projectId }, root, options] as const
}

function announced<Sent extends SentSnapshot | CommittedTree>(sent: Sent, { out }: Context): Sent {
  if (sent.snapshot) out.warn(sentLine(sent))
  for (const line of leftOutLines(sent.leftOut, '--include')) out.warn(line)
  return sent
}

/** The fields of a call's input that name the code of a checkout. */
export function stateOf(sent: SentSnapshot | CommittedTree): {
  branch?: string | undefined
  commitSha?: string
  snapshotId?: string
} {
  if (sent.snapshot) return { snapshotId: sent.snapshot.id }
  return { branch: sent.branch ?? undefined, commitSha: sent.headSha }
}

/** What the JSON answer of a command says about the code that it sent. Empty for a command that sent none. */
export function sentFacts(
  sent: SentSnapshot | CommittedTree | undefined,
): { snapshotId: string | null; leftOut: LeftOut[] } | Record<string, never> {
  return sent ? { snapshotId: sent.snapshot?.id ?? null, leftOut: sent.leftOut } : {}
}

/** Describes the snapshots that runs tested: `snapshot of 1a2b3c4 by you`. */
export async function describeSnapshots(
  core: CoreClient,
  runs: readonly Pick<TestRun, 'projectId' | 'snapshotId'>[],
): Promise<Map<string, string>> {
  const [first] = runs.filter(({ snapshotId }) => snapshotId !== null)
  if (!first) return new Map()
  const [{ snapshots }, { user }] = await Promise.all([
    core.snapshots.list.query({ projectId: first.projectId, limit: 100 }),
    core.tokens.current.query(),
  ])
  return new Map(
    snapshots.map(({ id, headSha, baseSha, userId }) => {
      const on = headSha ?? baseSha
      const of = on === null ? '' : ` of ${on.slice(0, 7)}`
      return [id, `snapshot${of} by ${userId === user.id ? 'you' : 'another member'}`]
    }),
  )
}
