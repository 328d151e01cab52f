import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { compareWithCommit } from '../client/compare-working-tree.ts'
import { UploadFields } from '../core/test-runs/uploads/schema.ts'
import { type Head, headOfJenkinsMerge, readHead } from './checkout.ts'
import { type CiBuild, readCiBuild } from './ci.ts'
import { wrongUsage } from './failure.ts'
import type { Place } from './invocation.ts'
import { addProjectOption, type ProjectOptions } from './options.ts'
import type { Output } from './output.ts'
import { checkoutAt, isPath, shown } from './project.ts'
import type { UploadFile } from './upload-form.ts'
import { counted } from './words.ts'

/** Options of every command that uploads reports. */
export interface UploadOptions extends ProjectOptions {
  branch?: string
  commit?: string
  name?: string
  variant?: string
  ranAt?: string
  shardKey?: string
  shards?: boolean
  root?: string
  pullRequest?: number
  target?: string
}

export function addUploadOptions(command: Command): Command {
  return addProjectOption(
    command
      .option(
        '--branch <branch>',
        'branch that was tested (default: from CI, else the checkout if it has no uncommitted changes)',
      )
      .option(
        '--commit <id>',
        'full id of the commit that was tested (default: from CI, else the checkout if it has no uncommitted changes)',
      )
      .option('--name <name>', 'name of the run, for projects with several, such as unit and e2e')
      .option('--variant <name>', 'where the same tests ran, such as an operating system (default: the name)')
      .option(
        '--ran-at <time>',
        'when the tests ran, at most 30 days ago (default: when the newest report was written, or now if that was more than a day ago)',
        readTime,
      )
      .option(
        '--pull-request <number>',
        'number of the pull or merge request, whose gate is decided with the results (default: from CI)',
        readNumber,
      )
      .option('--target <branch>', 'branch that the pull request is to be merged into (default: from CI)')
      .option('--shard-key <text>', 'merge uploads of one commit with the same key into one run')
      .option('--shards', 'merge the uploads of all jobs of a CI build into one run')
      .option(
        '--root <folder>',
        'folder of the checkout that the tests ran in, for absolute paths in the files (default: this checkout)',
      ),
  )
}

export function readNumber(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number > 0 && number < 2 ** 31) return number
  throw new InvalidArgumentError('It must be a number such as 42.')
}

function readTime(text: string): string {
  if (UploadFields.shape.ranAt.safeParse(text).success) return text
  throw new InvalidArgumentError('It must be a time such as 2026-11-27T09:30:00Z.')
}

/** The code that tests run on, as far as it is known before they run. */
export interface TestedCode {
  ci: CiBuild | undefined
  /** The top of the checkout. */
  root: string | undefined
  head: Head | undefined
  /** Paths of changes that the commit of the checkout lacks. Not looked up if options or CI say what was tested. */
  uncommitted: string[]
}

export async function readTestedCode({ project, branch, commit }: UploadOptions, place: Place): Promise<TestedCode> {
  const said = await readCiBuild(place.env)
  const path = project !== undefined && isPath(project) ? project : '.'
  const root = (await checkoutAt(path, place).catch(() => undefined))?.root
  const head = root === undefined ? undefined : await readHead(root)
  const merged =
    root !== undefined && head && said?.service === 'Jenkins' && said.pullRequest !== undefined
      ? await headOfJenkinsMerge(root, head.commitSha)
      : undefined
  const ci = said && merged !== undefined ? { ...said, commitSha: merged } : said
  const isSaid = (branch ?? commit ?? ci) !== undefined
  const uncommitted = root === undefined || !head || isSaid ? [] : await uncommittedIn(root, head.commitSha)
  return { ci, root, head, uncommitted }
}

/**
 * Lists changes of files that git tracks, and tests that it does not track yet. Other untracked files rarely matter for
 * the results, and many of them are written by tests.
 */
async function uncommittedIn(root: string, commitSha: string): Promise<string[]> {
  const { isTestPath } = await import('../engines/test-names/roles.ts')
  const differences = (await compareWithCommit(root, commitSha)) ?? []
  return differences.flatMap(({ path, isUntracked }) => (isUntracked && !isTestPath(path) ? [] : [path]))
}

/** Options come before CI, and CI before the checkout, because CI may check out a merge commit that was never pushed. */
export function uploadFields(
  options: UploadOptions,
  files: readonly UploadFile[],
  code: TestedCode,
  out: Output,
): Record<string, string | undefined> {
  const { ci, root } = code
  const commit = testedCommit(options, files, code, out)
  return {
    ...commit,
    ...(commit.commitSha !== undefined && pullRequestOf(options, commit.commitSha, code)),
    name: options.name,
    variant: options.variant,
    ranAt: options.ranAt ?? whenWritten(files),
    shardKey: shardKeyOf(options, ci),
    root: options.root ?? root,
  }
}

/** Returns nothing for code that is not committed, whose results say nothing about a commit. */
function testedCommit(
  options: UploadOptions,
  files: readonly UploadFile[],
  { ci, root = '', head, uncommitted }: TestedCode,
  out: Output,
): { branch?: string; commitSha?: string } {
  const written = new Set(files.map(({ path }) => path))
  const changes = uncommitted.filter((path) => !written.has(join(root, path)))
  if (changes.length > 0 && head) {
    out.warn(
      `The working tree has uncommitted changes (${named(changes)}), so these results do not count for commit ` +
        `${head.commitSha.slice(0, 7)}. Commit the changes, or name the commit with --commit if they do not matter.`,
    )
    return {}
  }
  const branch = options.branch ?? ci?.branch ?? head?.branch ?? undefined
  const commitSha = options.commit ?? fullId(ci?.commitSha) ?? head?.commitSha
  if (branch !== undefined && commitSha !== undefined) return { branch, commitSha }
  const missing = [branch === undefined ? '--branch' : '', commitSha === undefined ? '--commit' : ''].filter(Boolean)
  const what = commitSha === undefined ? 'the commit that was tested' : 'the branch of the commit that was tested'
  throw wrongUsage(`Neither CI nor a checkout has ${what}. Give ${missing.join(' and ')}.`)
}

/** The pull request that CI builds, and the merge that it tested in place of its head. */
function pullRequestOf(
  { pullRequest, target }: UploadOptions,
  commitSha: string,
  { ci, head }: TestedCode,
): Record<string, string | undefined> {
  const number = pullRequest ?? ci?.pullRequest
  if (number === undefined) return {}
  const isMerge = head !== undefined && head.commitSha === ci?.checkedOut && head.commitSha !== commitSha
  return {
    pullRequest: String(number),
    targetBranch: target ?? ci?.targetBranch,
    testedSha: isMerge ? head.commitSha : undefined,
  }
}

const maxNamed = 2

/** `a.ts, b.ts and 3 more files` */
function named(paths: readonly string[]): string {
  const more = paths.length - maxNamed
  const first = shown(paths.slice(0, maxNamed).join(', '))
  return more > 0 ? `${first} and ${counted(more, 'more file')}` : first
}

/** Some services report HEAD in place of an id. */
export const fullId = (text: string | undefined) =>
  text !== undefined && /^[0-9a-f]{40,64}$/i.test(text) ? text : undefined

/** The time of an older file may be that of a checkout or a cache. */
const maxAgeMs = 86_400_000

/** Returns when the newest report was written, unless that was more than a day ago. */
function whenWritten(files: readonly UploadFile[]): string | undefined {
  const newest = Math.max(...files.flatMap(({ part, modifiedAt }) => (part === 'reports' ? [modifiedAt] : [])))
  return newest > Date.now() - maxAgeMs ? new Date(newest).toISOString() : undefined
}

function shardKeyOf({ shardKey, shards }: UploadOptions, ci: CiBuild | undefined): string | undefined {
  if (shards !== true || shardKey !== undefined) return shardKey
  if (ci?.build !== undefined) return ci.build
  throw wrongUsage(
    '--shards requires a CI service that Assay knows. Give --shard-key with a text that all jobs of the build share.',
  )
}
