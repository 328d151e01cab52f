import { type Attempt, change, type Known } from './attempt.ts'
import type { PullRequestComment } from './schema.ts'

export interface KnownComment extends Known {
  id: string | null
}

/** Identifies the comment of a project. Code hosts do not show HTML comments. */
const markerOf = (projectId: string) => `<!-- assay ${projectId} -->`

/** Edits the project's comment at the pull request, or creates it if it is wanted. */
export async function sendComment(attempt: Attempt<KnownComment>, comment: PullRequestComment): Promise<void> {
  const { host } = attempt
  const { pullRequest, create } = comment
  const marker = markerOf(comment.projectId)
  const body = `${marker}\n${comment.body}`
  const edit = (id: string) => change(attempt, () => host.editComment(pullRequest, id, body))
  if (attempt.known.id !== null) {
    if (await edit(attempt.known.id)) return
    await attempt.remember({ id: null })
  }
  const found = await host.findComment(pullRequest, marker)
  if (found) {
    await attempt.remember({ id: found.id })
    if (found.body !== body) await edit(found.id)
    return
  }
  if (!create) return
  const { id } = await change(attempt, () => host.createComment(pullRequest, body))
  await attempt.remember({ id })
}
