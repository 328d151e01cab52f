import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { openCommit } from './commit.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { type SourceLimits, defaultSourceLimits } from './types.ts'
import type { Snapshot } from './types.ts'
import { openWorkingTree } from './working-tree.ts'

const signal = new AbortController().signal

const open = (path: string, limits: SourceLimits = defaultSourceLimits) => openWorkingTree(path, { limits, signal })

async function contentsOf(snapshot: Snapshot): Promise<Record<string, string | null>> {
  const contents: Record<string, string | null> = {}
  for await (const { entry, content } of snapshot.read(snapshot.entries, signal)) {
    contents[entry.path] = content?.toString() ?? null
  }
  return contents
}

/** What git itself calls the contents that lie there now. */
async function idsByGit(repository: GitRepository, snapshot: Snapshot) {
  const files = snapshot.entries.filter(({ mode }) => mode.startsWith('100')).map(({ path }) => path)
  const ids = await repository.git('hash-object', '--no-filters', '--', ...files)
  return Object.fromEntries(files.map((path, index) => [path, ids.split('\n')[index]]))
}

const idsOf = (snapshot: Snapshot) =>
  Object.fromEntries(
    snapshot.entries.filter(({ mode }) => mode.startsWith('100')).map(({ path, blobId }) => [path, blobId]),
  )

test('lists the tree as it is on disk: changed, new, deleted, renamed and ignored files', async () => {
  await using repository = await createGitRepository({
    '.gitignore': '*.log\nbuild/\n',
    kept: 'kept',
    changed: 'before',
    deleted: 'gone',
    old: 'moved',
    staged: 'before',
    'run.sh': 'sh',
  })
  await repository.write({
    changed: 'after!',
    staged: 'staged',
    new: 'new',
    'dir/new': 'new too',
    'debug.log': 'x',
    'build/out.js': 'x',
    '.git/info/exclude': 'private\n',
    private: 'x',
  })
  await repository.git('add', 'staged')
  await repository.write({ staged: 'staged, then changed' })
  await rm(join(repository.path, 'deleted'))
  await repository.git('mv', 'old', 'moved')
  await repository.git('update-index', '--chmod=+x', 'run.sh')
  await using snapshot = await open(repository.path)
  expect(await contentsOf(snapshot)).toEqual({
    '.gitignore': '*.log\nbuild/\n',
    kept: 'kept',
    changed: 'after!',
    staged: 'staged, then changed',
    new: 'new',
    'dir/new': 'new too',
    moved: 'moved',
    'run.sh': 'sh',
  })
  expect(snapshot.commitSha).toBe(await repository.git('rev-parse', 'HEAD'))
  expect(snapshot.branch).toBe('main')
  expect(snapshot.entries.map(({ path }) => path)).toEqual(snapshot.entries.map(({ path }) => path).toSorted())
  expect(idsOf(snapshot)).toEqual(await idsByGit(repository, snapshot))
  expect(snapshot.warnings).toEqual([])
})

test('takes ids of unchanged files from the index without reading them', async () => {
  // Git keeps the file with other line ends than it has here, so that its id tells who made it.
  await using repository = await createGitRepository({ '.gitattributes': 'a text eol=crlf\n', a: 'line\r\n' })
  const past = new Date(Date.now() - 60_000)
  await utimes(join(repository.path, 'a'), past, past)
  await repository.git('update-index', '--refresh')
  const indexed = await repository.git('rev-parse', ':a')
  {
    await using snapshot = await open(repository.path)
    expect(idsOf(snapshot)['a']).toBe(indexed)
    expect(await contentsOf(snapshot)).toMatchObject({ a: 'line\r\n' })
    expect(idsOf(snapshot)['a']).toBe(indexed)
  }
  await repository.write({ a: 'LINE\r\n' })
  await using snapshot = await open(repository.path)
  expect(idsOf(snapshot)).toEqual(await idsByGit(repository, snapshot))
})

test('notices a change that leaves size and time as they were', async () => {
  await using repository = await createGitRepository({ a: 'one' })
  const past = new Date(Date.now() - 60_000)
  await utimes(join(repository.path, 'a'), past, past)
  await repository.git('update-index', '--refresh')
  await repository.write({ a: 'two' })
  await utimes(join(repository.path, 'a'), past, past)
  await using snapshot = await open(repository.path)
  expect(idsOf(snapshot)).toEqual(await idsByGit(repository, snapshot))
})

test('opens the whole tree from any of its folders', async () => {
  await using repository = await createGitRepository({ 'packages/one/a': '1', b: '2' })
  await using snapshot = await open(join(repository.path, 'packages/one'))
  expect(snapshot.entries.map(({ path }) => path)).toEqual(['b', 'packages/one/a'])
})

test('works before the first commit', async () => {
  await using repository = await createGitRepository()
  await repository.write({ a: '1' })
  await using snapshot = await open(repository.path)
  expect([snapshot.commitSha, snapshot.branch]).toEqual(['0'.repeat(40), 'main'])
  expect(await contentsOf(snapshot)).toEqual({ a: '1' })
  expect((await snapshot.history(signal)).commits).toBe(0)
  expect(snapshot.warnings).toMatchObject([
    { code: 'history_unknown', message: expect.stringContaining('no commit yet') },
  ])
})

test('counts history by the names that files have now', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await repository.commit({ a: '2', b: '1' })
  await repository.git('checkout', '--quiet', '--detach')
  await repository.write({ new: '1' })
  await using snapshot = await open(repository.path)
  expect(snapshot.branch).toBeUndefined()
  const history = await snapshot.history(signal)
  expect([history.commits, Object.fromEntries(history.changes)]).toEqual([2, { a: 2, b: 1 }])
})

test('lists symlinks, submodules and nested repositories with their own modes', async () => {
  await using repository = await createGitRepository({ link: { linkTo: '/etc/passwd' }, a: '1' })
  await using other = await createGitRepository({ inner: '1' })
  await repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.path, 'sub')
  await repository.git('clone', '--quiet', other.path, join(repository.path, 'nested'))
  await repository.write({ loose: { linkTo: 'a' } })
  await using snapshot = await open(repository.path)
  expect(snapshot.entries.map(({ path, mode, size }) => [path, mode, size])).toEqual([
    ['.gitmodules', '100644', expect.any(Number)],
    ['a', '100644', 1],
    ['link', '120000', 11],
    ['loose', '120000', 1],
    ['sub', '160000', null],
  ])
  const contents = await contentsOf(snapshot)
  expect([contents['link'], contents['loose'], contents['sub']]).toEqual(['/etc/passwd', 'a', null])
  const link = snapshot.entries.find(({ path }) => path === 'link')
  expect(link?.blobId).toBe(await repository.git('rev-parse', 'HEAD:link'))
})

test('is not stopped by pipes, folders and unreadable places where files were', async () => {
  await using repository = await createGitRepository({ pipe: '1', folder: '1', a: '1' })
  for (const name of ['pipe', 'folder']) await rm(join(repository.path, name))
  execFileSync('mkfifo', [join(repository.path, 'pipe')])
  await repository.write({ 'folder/inner': '2' })
  await using snapshot = await open(repository.path)
  expect(await contentsOf(snapshot)).toEqual({ a: '1', 'folder/inner': '2' })
})

test('does not follow an index out of the tree', async () => {
  await using repository = await createGitRepository({ a: '1' })
  const outside = join(repository.path, '../secret')
  await writeFile(outside, 'secret')
  const index = join(repository.path, '.git/index')
  await repository.write({ xxxsecret: 'x' })
  await repository.git('add', 'xxxsecret')
  // Git does not make such names, but reads them.
  const bytes = await readFile(index)
  bytes.write('../secret', bytes.indexOf('xxxsecret'))
  createHash('sha1')
    .update(bytes.subarray(0, -20))
    .digest()
    .copy(bytes, bytes.length - 20)
  await writeFile(index, bytes)
  expect(await repository.git('ls-files')).toContain('../secret')
  await using snapshot = await open(repository.path)
  expect(Object.values(await contentsOf(snapshot))).not.toContain('secret')
})

test('does not follow a folder that became a symlink after it was listed', async () => {
  await using repository = await createGitRepository({ 'dir/file': 'mine', a: '1' })
  await using snapshot = await open(repository.path)
  const outside = join(repository.path, '../outside')
  await mkdir(outside)
  await writeFile(join(outside, 'file'), 'secret')
  await rm(join(repository.path, 'dir'), { recursive: true })
  await symlink(outside, join(repository.path, 'dir'))
  expect(await contentsOf(snapshot)).toEqual({ a: '1', 'dir/file': null })
  expect(snapshot.warnings).toMatchObject([{ code: 'missing_content', path: 'dir/file' }])
})

test('gives a file that changes after it was listed the id of the content that was read', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using snapshot = await open(repository.path)
  await delay(5)
  await repository.write({ a: '2' })
  expect(await contentsOf(snapshot)).toEqual({ a: '2' })
  expect(idsOf(snapshot)).toEqual(await idsByGit(repository, snapshot))
})

test('keeps to the limits', async () => {
  await using repository = await createGitRepository({ a: 'a'.repeat(11), b: 'b'.repeat(10) })
  await repository.write({ c: 'c'.repeat(11), d: 'd'.repeat(10) })
  const limits = { ...defaultSourceLimits, maxBlobBytes: 10, maxTotalBytes: 15 }
  await using snapshot = await open(repository.path, limits)
  expect(await contentsOf(snapshot)).toEqual({ a: null, b: 'b'.repeat(10), c: null, d: null })
  expect(snapshot.warnings.map(({ code, path }) => [code, path])).toEqual([
    ['too_large', 'a'],
    ['too_large', 'c'],
    ['limit_reached', 'd'],
  ])
  await expect(open(repository.path, { ...defaultSourceLimits, maxFiles: 3 })).rejects.toMatchObject({
    code: 'too_large',
  })
})

test('lists a file with conflicts once', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await repository.git('checkout', '--quiet', '-b', 'side')
  await repository.commit({ a: '2' })
  await repository.git('checkout', '--quiet', 'main')
  await repository.commit({ a: '3' })
  await repository.git('merge', '--quiet', 'side').catch(() => undefined)
  expect(await repository.git('ls-files', '--unmerged')).not.toBe('')
  await using snapshot = await open(repository.path)
  expect((await contentsOf(snapshot))['a']).toContain('<<<<<<<')
  expect(snapshot.entries).toHaveLength(1)
})

test('reads a split index, a linked working tree and names that are not valid text', async () => {
  await using repository = await createGitRepository({ a: '1', b: '2' })
  await repository.git('update-index', '--split-index')
  await repository.commit({ c: '3' })
  await writeFile(Buffer.from(`${repository.path}/caf\xe9`, 'latin1'), 'coffee')
  {
    await using snapshot = await open(repository.path)
    expect(await contentsOf(snapshot)).toEqual({ a: '1', b: '2', c: '3', 'caf\\xe9': 'coffee' })
  }
  const linked = join(repository.path, '../linked')
  await repository.git('worktree', 'add', '--quiet', '-b', 'side', linked, 'HEAD~1')
  await using snapshot = await open(linked)
  expect([snapshot.branch, Object.keys(await contentsOf(snapshot))]).toEqual(['side', ['a', 'b']])
})

test('says where there is no working tree', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-none-'))
  execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'bare.git')])
  await mkdir(join(folder, 'broken/.git'), { recursive: true })
  for (const path of [folder, join(folder, 'bare.git'), join(folder, 'missing'), join(folder, 'broken')]) {
    await expect(open(path)).rejects.toMatchObject({ code: 'not_a_repository', message: expect.stringContaining(path) })
  }
  await rm(folder, { recursive: true })
})

test('leaves nothing behind, and the repository as it was', async () => {
  await using repository = await createGitRepository({ a: '1' })
  const temporary = join(repository.path, '../temporary')
  await mkdir(temporary)
  vi.stubEnv('TMPDIR', temporary)
  const before = await readdir(join(repository.path, '.git'), { recursive: true })
  {
    await using snapshot = await open(repository.path)
    await contentsOf(snapshot)
    await snapshot.history(signal)
    expect(await readdir(temporary)).toHaveLength(1)
  }
  vi.unstubAllEnvs()
  expect(await readdir(temporary)).toEqual([])
  expect(await readdir(join(repository.path, '.git'), { recursive: true })).toEqual(before)
})

test('keeps a name with a line break apart from a name that spells its escape', async () => {
  const names = { 'a\nb': 'line break', 'a\\x0ab': 'escape' }
  await using repository = await createGitRepository(names)
  await repository.commit({ 'a\nb': 'line break, changed' })
  await using committed = await openCommit({
    url: repository.path,
    directory: `${repository.path}-clone`,
    ref: {},
    allowLocal: true,
    allowCidrs: [],
    limits: defaultSourceLimits,
    signal,
  })
  await using working = await open(repository.path)
  for (const snapshot of [committed, working]) {
    expect(await contentsOf(snapshot)).toEqual({ 'a\\x0ab': 'line break, changed', 'a\\x5cx0ab': 'escape' })
    const { changes } = await snapshot.history(signal)
    expect(Object.fromEntries(changes)).toEqual({ 'a\\x0ab': 2, 'a\\x5cx0ab': 1 })
  }
})
