import { z } from 'zod'
import { branchOf, commentBody, isCommit, isRerun, lenient, membersOf, number, type ReadFacts, text } from './facts.ts'
import { repositoryKey } from './repository-key.ts'

const MergeRequest = {
  iid: number,
  source_branch: text,
  target_branch: text,
  source_project_id: number,
  target_project_id: number,
  last_commit: lenient({ id: text }),
}

const Payload = z.object({
  project: lenient({ id: number, git_http_url: text, git_ssh_url: text, web_url: text, visibility_level: number }),
  ref: text,
  after: text,
  user_username: text,
  user: lenient({ username: text }),
  object_attributes: lenient({ ...MergeRequest, action: text, oldrev: text, note: commentBody }),
  merge_request: lenient(MergeRequest),
})

/** The members of a payload that `readGitLabFacts` reads. */
export const gitLabMembers = membersOf(Payload)

const events: Record<string, string> = {
  'Push Hook': 'push',
  'Tag Push Hook': 'push',
  'Merge Request Hook': 'pull_request',
  'Note Hook': 'issue_comment',
}
const actions: Record<string, string> = { open: 'opened', reopen: 'reopened', close: 'closed', merge: 'closed' }
const publicLevel = 20

/** Extracts the same from a payload of GitLab as `readFacts` from those of GitHub. */
export function readGitLabFacts(hook: string, payload: object): ReadFacts {
  const event =
    events[hook] ??
    hook
      .replace(/ Hook$/, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '_')
  const parsed = Payload.parse(payload)
  const { project, ref, after, object_attributes: object, user, user_username: pusher } = parsed
  const isPull = event === 'pull_request'
  const pull = isPull ? object : parsed.merge_request
  const keys = [project?.git_http_url, project?.git_ssh_url, project?.web_url].flatMap(
    (url) => repositoryKey(url ?? '') ?? [],
  )
  const sha = isPull ? pull?.last_commit?.id : after
  const sender = user?.username ?? pusher ?? null
  const isBot = /^(?:project|group)_\d+_bot/.test(sender ?? '')
  const isCommand = event === 'issue_comment' && pull !== undefined && isRerun(object?.note)
  return {
    event,
    action: isPull ? actionOf(object?.action, object?.oldrev) : event === 'issue_comment' ? 'created' : null,
    facts: {
      repositories: [...new Set(keys)],
      isPrivate: project?.visibility_level !== publicLevel,
      repositoryId: project?.id ?? null,
      branch: branchOf(pull?.source_branch ?? /^refs\/heads\/(.+)$/.exec(ref ?? '')?.[1]),
      targetBranch: branchOf(pull?.target_branch),
      tag: branchOf(/^refs\/tags\/(.+)$/.exec(ref ?? '')?.[1]),
      commitSha: sha !== undefined && isCommit(sha) ? sha : null,
      pullRequest: pull?.iid ?? null,
      fork: pull !== undefined && pull.source_project_id !== pull.target_project_id,
      deleted: /^0+$/.test(after ?? ''),
      command: isCommand && !isBot ? 'rerun' : null,
      sender,
    },
  }
}

/** GitLab calls every change `update`; those of the commits name the commit before. */
function actionOf(action: string | undefined, oldrev: string | undefined): string | null {
  if (action === 'update') return oldrev === undefined ? 'edited' : 'synchronize'
  return action === undefined || !/^\w{1,64}$/.test(action) ? null : (actions[action] ?? action)
}
