import { type Command, InvalidArgumentError } from 'commander'
import { UploadFields } from '../core/test-runs/uploads/schema.ts'
import { readHead } from './checkout.ts'
import { type CiBuild, readCiBuild } from './ci.ts'
import { wrongUsage } from './failure.ts'
import type { Place } from './invocation.ts'
import { addProjectOption, type ProjectOptions } from './options.ts'
import { checkoutAt, isPath } from './project.ts'
import type { UploadFile } from './upload-form.ts'

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
}

export function addUploadOptions(command: Command): Command {
  return addProjectOption(
    command
      .option('--branch <branch>', 'branch that was tested (default: from CI, else the checkout)')
      .option('--commit <id>', 'full id of the commit that was tested (default: from CI, else the checkout)')
      .option('--name <name>', 'name of the run, for projects with several, such as unit and e2e')
      .option('--variant <name>', 'where the same tests ran, such as an operating system (default: the name)')
      .option('--ran-at <time>', 'when the tests ran (default: when the newest report was written)', readTime)
      .option('--shard-key <text>', 'merge uploads of one commit with the same key into one run')
      .option('--shards', 'merge the uploads of all jobs of a CI build into one run')
      .option(
        '--root <folder>',
        'folder of the checkout that the tests ran in, for absolute paths in the files (default: this checkout)',
      ),
  )
}

function readTime(text: string): string {
  if (UploadFields.shape.ranAt.safeParse(text).success) return text
  throw new InvalidArgumentError('It must be a time such as 2026-11-27T09:30:00Z.')
}

/** Options come before CI, and CI before the checkout, because CI may check out a merge commit that was never pushed. */
export async function uploadFields(
  options: UploadOptions,
  files: readonly UploadFile[],
  place: Place,
): Promise<Record<string, string | undefined>> {
  const ci = await readCiBuild(place.env)
  const path = options.project !== undefined && isPath(options.project) ? options.project : '.'
  const checkout = await checkoutAt(path, place).catch(() => undefined)
  const head = checkout && (await readHead(checkout.root))
  const branch = options.branch ?? ci?.branch ?? head?.branch ?? undefined
  const commitSha = options.commit ?? fullId(ci?.commitSha) ?? head?.commitSha
  if (branch === undefined || commitSha === undefined) {
    const missing = [branch === undefined ? '--branch' : '', commitSha === undefined ? '--commit' : ''].filter(Boolean)
    const what = commitSha === undefined ? 'the commit that was tested' : 'the branch of the commit that was tested'
    throw wrongUsage(`Neither CI nor a checkout has ${what}. Give ${missing.join(' and ')}.`)
  }
  return {
    branch,
    commitSha,
    name: options.name,
    variant: options.variant,
    ranAt: options.ranAt ?? whenWritten(files),
    shardKey: shardKeyOf(options, ci),
    root: options.root ?? checkout?.root,
  }
}

/** Some services report HEAD in place of an id. */
const fullId = (text: string | undefined) => (text !== undefined && /^[0-9a-f]{40,64}$/i.test(text) ? text : undefined)

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
