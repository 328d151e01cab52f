import { z } from 'zod'
import type { Wanted } from '../../engines/json/pick.ts'
import { isValidBranchName } from '../../engines/source/url.ts'
import { repositoryKey } from './repository-key.ts'
import type { CodeHostFacts } from './schema.ts'

// Fields that are missing or have an unexpected type become undefined, because payloads differ between senders.
const text = z
  .string()
  .max(2_048)
  .refine((value) => !/\p{Cc}/u.test(value) && value.isWellFormed())
  .optional()
  .catch(undefined)
const flag = z.boolean().optional().catch(undefined)
const number = z.int().min(0).optional().catch(undefined)
const lenient = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).optional().catch(undefined)

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
})

/** The members of a payload that `readFacts` reads. */
export const wantedMembers: Wanted = membersOf(Payload)

function membersOf(object: z.ZodObject): Wanted {
  return Object.fromEntries(
    Object.entries(object.shape).map(([name, given]) => {
      let field: unknown = given
      while (field instanceof z.ZodCatch || field instanceof z.ZodOptional) field = field.unwrap()
      return [name, field instanceof z.ZodObject ? membersOf(field) : true]
    }),
  )
}

/** Extracts the fields of a payload that determine its effects. */
export function readFacts(payload: object): { action: string | null; facts: CodeHostFacts } {
  const { action, repository, ref, after, deleted, pull_request: pull, release } = Payload.parse(payload)
  const { clone_url, html_url, ssh_url, git_url } = repository ?? {}
  const keys = [clone_url, html_url, ssh_url, git_url].flatMap((url) => repositoryKey(url ?? '') ?? [])
  const headId = pull?.head?.repo?.id
  const sha = pull?.head?.sha ?? after
  return {
    action: action !== undefined && /^\w{1,64}$/.test(action) ? action : null,
    facts: {
      repositories: [...new Set(keys)],
      // A repository counts as private unless the payload says that it is public.
      isPrivate: repository?.private !== false,
      repositoryId: repository?.id ?? null,
      branch: branchOf(pull?.head?.ref ?? /^refs\/heads\/(.+)$/.exec(ref ?? '')?.[1]),
      targetBranch: branchOf(pull?.base?.ref),
      tag: branchOf(release?.tag_name ?? /^refs\/tags\/(.+)$/.exec(ref ?? '')?.[1]),
      commitSha: sha !== undefined && isCommit(sha) ? sha : null,
      pullRequest: pull?.number ?? null,
      // If the fork was deleted, the head has no repository.
      fork: pull !== undefined && (headId === undefined || headId !== pull.base?.repo?.id),
      deleted: deleted === true || /^0+$/.test(after ?? ''),
    },
  }
}

/** Also used for tags, which follow the same rules. */
function branchOf(name: string | undefined): string | null {
  return name !== undefined && isValidBranchName(name) ? name : null
}

const isCommit = (text: string) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) && !/^0+$/.test(text)
