import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type GitCommand, startGit } from '../git.ts'
import { borrowObjects, type LocalRepository } from '../local.ts'
import { nulRecords } from '../records.ts'
import { copyIndex } from '../working-changes.ts'
import { shareIndex } from '../working-list.ts'
import { readUserSettings, type UserSettings } from './user-settings.ts'

/**
 * A bare repository of ours with a copy of a working tree's index. Git reads the user's files and objects, and writes
 * only here; the hooks, filters and programs that the user's settings name are out of its sight.
 */
export interface StagingArea extends UserSettings {
  /** The top of the working tree. */
  top: string
  repository: LocalRepository
  gitDir: string
  signal: AbortSignal
}

export async function createStagingArea(
  top: string,
  repository: LocalRepository,
  gitDir: string,
  signal: AbortSignal,
): Promise<StagingArea> {
  await mkdir(gitDir, { recursive: true })
  await borrowObjects(repository, gitDir)
  const [settings] = await Promise.all([readUserSettings(repository, signal), shareIndex(repository, gitDir)])
  await copyIndex(repository, gitDir)
  return { top, repository, gitDir, signal, ...settings }
}

/** A command that reads the working tree and the copy of its index. */
export const inTree = (area: StagingArea, ...args: string[]): GitCommand => ({
  args,
  gitDir: area.gitDir,
  cwd: area.top,
  environment: { GIT_WORK_TREE: area.top, GIT_INDEX_FILE: join(area.gitDir, 'index') },
  settings: area.settings,
  signal: area.signal,
})

/** A command that reads only objects. */
export const onObjects = ({ gitDir, signal }: { gitDir: string; signal: AbortSignal }, ...args: string[]) => ({
  args,
  gitDir,
  signal,
})

/** Runs git with records to read, each ended by a NUL byte, and returns those that it prints. */
export async function* nulExchange(
  command: GitCommand,
  input: Iterable<Buffer> = [],
  onWarnings?: (text: string) => void,
): AsyncGenerator<Buffer> {
  await using git = await startGit(command)
  Readable.from(ended(input, nul)).pipe(git.stdin)
  for await (const records of nulRecords(git.stdout)) yield* records
  const warnings = await git.succeed()
  onWarnings?.(warnings)
}

/** Runs git with records to read. It prints nothing that matters. */
export async function feed(
  command: GitCommand,
  input: Iterable<Buffer>,
  onWarnings?: (text: string) => void,
): Promise<void> {
  for await (const record of nulExchange(command, input, onWarnings)) void record
}

const nul = Buffer.of(0)
const batchSize = 1_000

/** Joins records into larger pieces, with a separator after each. */
export function* ended(records: Iterable<Buffer>, separator: Buffer): Generator<Buffer> {
  let batch: Buffer[] = []
  for (const record of records) {
    batch.push(record, separator)
    if (batch.length < 2 * batchSize) continue
    yield Buffer.concat(batch)
    batch = []
  }
  if (batch.length > 0) yield Buffer.concat(batch)
}
