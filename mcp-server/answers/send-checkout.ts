import { z } from 'zod'
import { findOrAddProject } from '../../client/add-project.ts'
import { describeLocalRepository, type LocalRepository } from '../../client/local-repository.ts'
import { commandOf } from '../../client/procedure-names.ts'
import { cleanName, shorten } from '../../client/sanitize.ts'
import { sentStateInWords } from '../../client/snapshot-words.ts'
import { UserError } from '../../client/user-error.ts'
import { type Call, refuse } from '../tools/tool.ts'
import { howToCreate } from './find-project.ts'

export const LocalPath = z.string().max(4_096).optional().describe('Local checkout, with uncommitted changes')

/** MCP clients abandon a call after 60 s. */
const maxSendMs = 40_000

export interface SentState {
  projectId: string
  /** What the server is to use: a snapshot, or the commit where nothing differs from it. */
  state: { snapshotId: string; commitSha?: undefined } | { snapshotId?: undefined; commitSha: string }
  /** "snapshot of 3 changed files on 1a2b3c4", after the name of the project if this call has added it */
  words: string
  /** The commit that is checked out; null before the first one. */
  headSha: string | null
  /** The branch that is checked out; null if a commit is. */
  branch: string | null
  repository: LocalRepository
}

interface Wanted {
  localPath: string
  /** Defaults to the project of the checkout. */
  projectId: string | undefined
  /** Files that the state has as HEAD has them. */
  except?: readonly string[] | undefined
  /** The tool that is called, for advice. */
  tool: string
}

/** Refuses arguments that name a state of the code beside the checkout. */
export function refuseBeside(local: 'localPath' | 'localFile', others: Readonly<Record<string, unknown>>): void {
  const [superfluous] = Object.entries(others).find(([, value]) => value !== undefined) ?? []
  if (superfluous === undefined) return
  refuse(`${local} takes the code of the checkout as it is. Leave out ${superfluous}, or ${local}.`)
}

/** A project of a checkout, and words about it if this call has added it. */
export interface FoundProject {
  id: string
  added?: string
}

/** Finds the project of a checkout, or adds it where the server may read the checkout. */
export async function projectOfCheckout(
  repository: LocalRepository,
  tool: string,
  call: Call,
): Promise<FoundProject> {
  const found = await findOrAddProject(call.core, repository, call.signal)
  if (found) {
    const { id } = found.project
    return { id, ...(found.isNew && { added: `added the checkout as the project ${id}` }) }
  }
  return refuse(
    `none of your projects has the repository of ${shorten(cleanName(repository.root), 500)}. ` +
      `Call ${howToCreate(repository, `${tool} with the same arguments`)}; or pass a projectId.`,
  )
}

/** Makes the state of a checkout available to the server: sends a snapshot, unless the server can fetch the same commit. */
export async function sendCheckout({ localPath, projectId, except, tool }: Wanted, call: Call): Promise<SentState> {
  if (!call.local || !call.sendTree) return refuse('localPath works only over stdio.')
  const repository = await describeLocalRepository(localPath)
  const { root } = repository
  const { id, added }: FoundProject =
    projectId === undefined ? await projectOfCheckout(repository, tool, call) : { id: projectId }
  call.reportProgress({ done: 0, total: 1, message: 'sending the working tree' })
  const deadline = AbortSignal.timeout(maxSendMs)

  try {
    const sent = await call.sendTree(id, root, { except, signal: AbortSignal.any([call.signal, deadline]) })
    const state = sent.snapshot ? { snapshotId: sent.snapshot.id } : { commitSha: sent.headSha }
    const { headSha, branch } = sent
    const what = sentStateInWords(sent, commandOf(tool))
    const words = added === undefined ? what : `${added}; ${what}`
    return { projectId: id, state, words, headSha, branch, repository }
  } catch (error) {
    if (!deadline.aborted) throw error
    throw new UserError(
      `${tool} was not run: the checkout was not sent within ${maxSendMs / 1_000} s. Try again, or send it with ` +
        'the command line: `assay verify --change` and `assay run` have no such limit.',
    )
  }
}
