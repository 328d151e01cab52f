import { accessSync, constants } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import { isErrno } from '../files.ts'
import { pathText } from '../path-text.ts'
import { namesOf, sizeText, tooLarge } from '../too-large.ts'
import { RepositoryError } from '../types.ts'
import { fullPath, insideTree, modeOf, statOf } from '../working-files.ts'
import { type FileToStage, filtersOf, isSame, stagePointers } from './clean-filters.ts'
import { credentialIn } from './credential-files.ts'
import type { LeftOut } from './left-out.ts'
import { isOutside, type Submodule, type TreeCounter } from './read-index.ts'
import { feed, inTree, nulExchange, type StagingArea } from './staging-area.ts'

// Files looked at before others get their turn: a few milliseconds.
const batchSize = 64
const slash = 47

interface Changed {
  name: Buffer
  /** The mode and the object that the index has. */
  mode: string
  id?: string
}

/** What is to be done with the copy of the index. */
interface Plan {
  files: FileToStage[]
  removed: Buffer[]
  leftOut: LeftOut[]
}

/** Stages the changes of tracked files: `git add --update` without what it would start. */
export async function stageTracked(
  area: StagingArea,
  submodules: readonly Submodule[],
  maxBytes: number,
): Promise<LeftOut[]> {
  const plan: Plan = { files: [], removed: [], leftOut: [] }
  await planTracked(area, submodules, plan)
  return carryOut(area, plan, maxBytes)
}

/** Stages tracked and untracked files as `git add --all` would, except for those that it returns. */
export async function stageAll(
  area: StagingArea,
  submodules: readonly Submodule[],
  { maxBytes, count, include }: { maxBytes: number; count: TreeCounter; include: (path: string) => boolean },
): Promise<LeftOut[]> {
  const plan: Plan = { files: [], removed: [], leftOut: [] }
  await planTracked(area, submodules, plan)
  await planUntracked(area, plan, count, include)
  return carryOut(area, plan, maxBytes)
}

const folderMode = Buffer.from('040000')

/** Gives files of the index the content that they have in a commit, or removes them. */
export async function restoreFiles(
  area: StagingArea,
  commitSha: string | undefined,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return
  const committed = new Map<string, Buffer>()
  if (commitSha !== undefined) {
    for await (const line of nulExchange(inTree(area, 'ls-tree', '-z', '--full-tree', commitSha, ...paths))) {
      if (!line.subarray(0, 6).equals(folderMode)) committed.set(line.toString('utf8', line.indexOf('\t') + 1), line)
    }
  }
  const removed = Buffer.from(`0 ${'0'.repeat(area.repository.format === 'sha256' ? 64 : 40)}\t`)
  const lines = paths.map((path) => committed.get(path) ?? Buffer.concat([removed, Buffer.from(path)]))
  await feed(inTree(area, 'update-index', '-z', '--index-info'), lines)
}

async function planTracked(area: StagingArea, submodules: readonly Submodule[], plan: Plan): Promise<void> {
  const changed = await listChanged(area)
  // Git does not compare submodules here, because it would start a git in each.
  const known = new Set(changed.map(({ name }) => name.toString('latin1')))
  for (const { name } of submodules) if (!known.has(name.toString('latin1'))) changed.push({ name, mode: '160000' })

  const isInside = insideTree(area.top)
  for await (const { name, mode, id } of unhurried(changed, area.signal)) {
    const path = fullPath(area.top, name)
    const stats = isInside(name) ? statOf(path) : undefined
    if (mode === '160000' && stats?.isDirectory()) continue
    const modeNow = stats && modeOf(stats)
    if (!stats || !modeNow) {
      plan.removed.push(name)
      if (!stats || stats.isDirectory()) continue
      const why = 'Git does not store sockets, pipes and devices.'
      plan.leftOut.push({ path: pathText(name), reason: 'special_file', why })
      continue
    }
    const keepsMode = !area.isModeTrusted && mode.startsWith('100') && modeNow.startsWith('100')
    const staged = id === undefined ? {} : { id }
    plan.files.push({ name, path, mode: keepsMode ? mode : modeNow, bytes: Number(stats.size), ...staged })
  }
}

async function listChanged(area: StagingArea): Promise<Changed[]> {
  const changed: Changed[] = []
  const command = inTree(area, 'diff-files', '-z', '--raw', '--no-renames', '--ignore-submodules=all')
  let staged: Omit<Changed, 'name'> | undefined
  for await (const record of nulExchange(command, [], refuseUnlisted)) {
    if (staged === undefined) {
      const [mode = '', , id = ''] = record.toString('latin1', 1).split(' ', 3)
      staged = { mode, id }
    } else {
      changed.push({ name: record, ...staged })
      staged = undefined
    }
  }
  return changed
}

async function planUntracked(
  area: StagingArea,
  plan: Plan,
  count: TreeCounter,
  include: (path: string) => boolean,
): Promise<void> {
  const untracked: Buffer[] = []
  const command = inTree(area, 'ls-files', '-z', '--others', '--exclude-standard')
  for await (const name of nulExchange(command, [], refuseUnlisted)) {
    count.add(name)
    untracked.push(name)
  }
  for await (const name of unhurried(untracked, area.signal)) {
    const path = pathText(name)
    if (name.at(-1) === slash) {
      const why = 'Other git repositories are not sent. Add them as submodules, or to .gitignore.'
      plan.leftOut.push({ path, reason: 'repository', why })
      continue
    }
    if (isOutside(name)) {
      plan.leftOut.push(refusedName(path))
      continue
    }
    const full = fullPath(area.top, name)
    const stats = statOf(full)
    const mode = stats && modeOf(stats)
    if (!stats || !mode) continue
    const credential = mode === '120000' || include(path) ? undefined : credentialIn(path, full)
    if (credential !== undefined) {
      const why = `It looks like it contains ${credential}, and git does not track it. Include it by name if tests need it.`
      plan.leftOut.push({ path, reason: 'credential', why })
      continue
    }
    plan.files.push({ name, path: full, mode: area.isModeTrusted ? mode : '100644', bytes: Number(stats.size) })
  }
}

async function carryOut(area: StagingArea, plan: Plan, maxBytes: number): Promise<LeftOut[]> {
  const { leftOut } = plan
  const total = plan.files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total > maxBytes) {
    const sizes = plan.files.map(({ name, bytes }) => ({ path: pathText(name), bytes }))
    const what = `The changed and untracked files have ${sizeText(total)}, and a snapshot may have ${sizeText(maxBytes)}.`
    throw tooLarge(what, sizes, maxBytes)
  }
  refuseUnreadable(plan.files)

  const filters = await filtersOf(area, plan.files)
  const pointers: FileToStage[] = []
  const plain: Buffer[] = []
  for (const file of plan.files) {
    const filter = filters.get(file)
    if (filter === undefined) plain.push(file.name)
    else if (filter === 'lfs') pointers.push(file)
    else {
      if (await isSame(area, file)) continue
      const why = `Changes pass the filter ${JSON.stringify(filter)}, which is not run. Commit what tests need.`
      leftOut.push({ path: pathText(file.name), reason: 'filter', why })
    }
  }
  // First what is gone, to make room for files where folders were.
  if (plan.removed.length > 0) await feed(inTree(area, 'update-index', '--force-remove', '-z', '--stdin'), plan.removed)
  if (plain.length > 0) {
    await feed(inTree(area, 'update-index', '--add', '--remove', '--replace', '-z', '--stdin'), plain, (warnings) => {
      // Names that are harmful on some file system, which only git knows all.
      for (const line of warnings.split('\n')) {
        if (line.startsWith(ignoring)) leftOut.push(refusedName(pathText(Buffer.from(line.slice(ignoring.length)))))
      }
    })
  }
  await stagePointers(area, pointers)
  return leftOut
}

const ignoring = 'Ignoring path '

const refusedName = (path: string): LeftOut => ({ path, reason: 'name', why: 'Git does not allow such names.' })

function refuseUnreadable(files: readonly FileToStage[]): void {
  const unreadable: string[] = []
  for (const { name, path, mode } of files) {
    if (mode === '120000') continue
    try {
      accessSync(path, constants.R_OK)
    } catch (error) {
      if (isErrno(error, 'EACCES', 'EPERM')) unreadable.push(pathText(name))
    }
  }
  refuseNames(unreadable)
}

/** Git only warns of folders and files that it cannot look at, and takes them for empty or unchanged. */
function refuseUnlisted(warnings: string): void {
  const names: string[] = []
  for (const line of warnings.split('\n')) {
    const ending = denials.find((text) => line.endsWith(text))
    if (ending === undefined) continue
    const named = line.slice(0, -ending.length)
    if (named.startsWith(folderWarning)) names.push(named.slice(folderWarning.length, -1))
    else if (!named.startsWith('warning: ')) names.push(named)
  }
  refuseNames(names.map((name) => pathText(Buffer.from(name))))
}

const denials = [': Permission denied', ': Operation not permitted']
const folderWarning = "warning: could not open directory '"

function refuseNames(unreadable: readonly string[]): void {
  if (unreadable.length === 0) return
  throw new RepositoryError(
    'working_tree_refused',
    `${namesOf(unreadable)} cannot be read. Allow yourself to read these files, or add them to .gitignore.`,
  )
}

async function* unhurried<T>(items: readonly T[], signal: AbortSignal): AsyncGenerator<T> {
  for (const [index, item] of items.entries()) {
    if (index % batchSize === 0) {
      await breathe()
      signal.throwIfAborted()
    }
    yield item
  }
}
