import { z } from 'zod'
import type { Wanted } from '../../engines/json/pick.ts'
import { isValidBranchName } from '../../engines/source/url.ts'
import { repositoryKey } from './repository-key.ts'
import type { CodeHostFacts } from './schema.ts'

// Fields that are missing or have an unexpected type become undefined, because payloads differ between senders.
export const text = z
  .string()
  .max(2_048)
  .refine((value) => !/\p{Cc}/u.test(value) && value.isWellFormed())
  .optional()
  .catch(undefined)
/** A comment may have several lines, and longer ones contain no command. */
export const commentBody = z.string().max(16_384).optional().catch(undefined)
export const flag = z.boolean().optional().catch(undefined)
export const number = z.int().min(0).optional().catch(undefined)
export const lenient = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).optional().catch(undefined)

const Payload = z.object({
  action: text,
  repository: lenient({ id: number, clone_url: text, html_url: text, ssh_url: text, git_url: text, private: flag }),
  ref: text,
  after: text,
  deleted: flag,
  pull_request: lenient({
    number,
    head: lenient({ ref: text, sha: text, repo: lenient({ id: number }) }),
    base: lenient({ ref: text, repo: lenient({ id: number }) }),
  }),
  release: lenient({ tag_name: text }),
  sender: lenient({ login: text, type: text }),
  comment: lenient({ body: commentBody }),
  // Only the issue of a pull request has this member.
  issue: lenient({ number, pull_request: lenient({ url: text, html_url: text, merged: flag }) }),
  check_run: lenient({ head_sha: text, app: lenient({ id: number }), check_suite: lenient({ head_branch: text }) }),
  check_suite: lenient({ head_sha: text, head_branch: text, app: lenient({ id: number }) }),
})

/** The members of a payload that `readFacts` reads. */
export const wantedMembers: Wanted = membersOf(Payload)

/** What a sender says about an event, in the words of GitHub. */
export interface ReadFacts {
  event: string
  action: string | null
  facts: CodeHostFacts
}

export function membersOf(object: z.ZodObject): Wanted {
  return Object.fromEntries(
    Object.entries(object.shape).map(([name, given]) => {
      let field: unknown = given
      while (field instanceof z.ZodCatch || field instanceof z.ZodOptional) field = field.unwrap()
      return [name, field instanceof z.ZodObject ? membersOf(field) : true]
    }),
  )
}

/**
 * Extracts the fields of a payload of GitHub, Gitea or Forgejo that determine its effects.
 *
 * @param appId - the id of the GitHub App of this server, whose checks can be requested again
 */
export function readFacts(event: string, payload: object, appId?: string): ReadFacts {
  const parsed = Payload.parse(payload)
  const { repository, ref, after, deleted, pull_request: pull, release, sender, issue } = parsed
  // Gitea's word.
  const action = parsed.action === 'synchronized' ? 'synchronize' : parsed.action
  const check = parsed.check_run ?? parsed.check_suite
  const { clone_url, html_url, ssh_url, git_url } = repository ?? {}
  const keys = [clone_url, html_url, ssh_url, git_url].flatMap((url) => repositoryKey(url ?? '') ?? [])
  const headId = pull?.head?.repo?.id
  const sha = pull?.head?.sha ?? check?.head_sha ?? after
  const isOwnCheck = appId !== undefined && String(check?.app?.id) === appId
  const isCommand =
    (action === 'created' && issue?.pull_request !== undefined && isRerun(parsed.comment?.body)) ||
    (action === 'rerequested' && isOwnCheck)
  return {
    event,
    action: action !== undefined && /^\w{1,64}$/.test(action) ? action : null,
    facts: {
      repositories: [...new Set(keys)],
      // A repository counts as private unless the payload says that it is public.
      isPrivate: repository?.private !== false,
      repositoryId: repository?.id ?? null,
      branch: branchOf(pull?.head?.ref ?? branchOfCheck(parsed) ?? /^refs\/heads\/(.+)$/.exec(ref ?? '')?.[1]),
      targetBranch: branchOf(pull?.base?.ref),
      tag: branchOf(release?.tag_name ?? /^refs\/tags\/(.+)$/.exec(ref ?? '')?.[1]),
      commitSha: sha !== undefined && isCommit(sha) ? sha : null,
      pullRequest: pull?.number ?? (issue?.pull_request ? (issue.number ?? null) : null),
      // If the fork was deleted, the head has no repository.
      fork: pull !== undefined && (headId === undefined || headId !== pull.base?.repo?.id),
      deleted: deleted === true || /^0+$/.test(after ?? ''),
      command: isCommand && sender?.type !== 'Bot' ? 'rerun' : null,
      sender: sender?.login ?? null,
    },
  }
}

const branchOfCheck = ({ check_run: run, check_suite: suite }: z.infer<typeof Payload>) =>
  run?.check_suite?.head_branch ?? suite?.head_branch

/** Checks whether the first line of a comment is the command. */
export const isRerun = (body: string | undefined): boolean => /^\/assay rerun[ \t]*(?:\r?\n|$)/.test(body ?? '')

/** Also used for tags, which follow the same rules. */
export function branchOf(name: string | undefined): string | null {
  return name !== undefined && isValidBranchName(name) ? name : null
}

export const isCommit = (text: string) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) && !/^0+$/.test(text)
