import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { defaultSnapshotLimits } from '../snapshot.ts'
import { createGitRepository, type GitRepository } from '../testing/git-repository.ts'
import { receivePack, treeByGit } from '../testing/receive-pack.ts'
import { type PackedWorkingTree, type PackingOptions, packWorkingTree } from './pack-working-tree.ts'

const signal = new AbortController().signal

const open = (path: string, options: Partial<PackingOptions> = {}) =>
  packWorkingTree(path, { limits: defaultSnapshotLimits, maxCommits: 1_000, signal, ...options })

/** The files of the tree, as a repository that has only the base gets them. */
async function filesOf(repository: GitRepository, tree: PackedWorkingTree): Promise<Record<string, string>> {
  const { file } = await tree.pack({ baseSha: tree.headSha, signal })
  await using receiver = await receivePack(repository, { baseSha: tree.headSha, file, wanted: [tree.treeSha] })
  const listed = await receiver.git('ls-tree', '-r', '-z', tree.treeSha)
  return Object.fromEntries(
    listed
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => {
        const [meta = '', path = ''] = line.split('\t')
        return [path, meta.split(' ')[0] ?? '']
      }),
  )
}

test('gives the tree of HEAD for an unchanged checkout, with nothing to send', async () => {
  await using repository = await createGitRepository({ a: '1', 'src/b': '2', link: { linkTo: 'a' } })
  const headSha = await repository.commit({ a: '2' })
  await using tree = await open(join(repository.path, 'src'))
  expect(tree).toMatchObject({
    root: repository.path,
    format: 'sha1',
    headSha,
    branch: 'main',
    treeSha: await repository.git('rev-parse', 'HEAD^{tree}'),
    isClean: true,
    files: 3,
    changedFiles: 0,
    latestCommits: (await repository.git('rev-list', 'HEAD')).split('\n'),
    leftOut: [],
  })
  expect(await tree.pack({ baseSha: headSha, signal })).toMatchObject({ headSha, objects: 0, largest: [] })
})

test('packs changed, new, deleted, renamed and staged files, and not the ignored ones', async () => {
  await using repository = await createGitRepository({
    '.gitignore': '*.log\nbuild/\n',
    kept: 'kept',
    changed: 'before',
    deleted: 'gone',
    old: 'moved',
    staged: 'before',
    'run.sh': 'sh',
    'folder/file': 'becomes a file',
    file: 'becomes a folder',
    link: { linkTo: 'kept' },
  })
  await repository.write({ staged: 'staged', 'new/one': '1', 'debug.log': 'x', 'build/out.js': 'x', private: 'x' })
  await repository.git('add', 'staged')
  await rm(join(repository.path, 'folder'), { recursive: true })
  for (const name of ['deleted', 'file', 'link']) await unlink(join(repository.path, name))
  await repository.write({
    changed: 'after!',
    staged: 'staged, then changed',
    folder: 'file',
    'file/inner': '1',
    link: 'a file now',
    '.git/info/exclude': 'private\n',
    outside: { linkTo: '/etc/passwd' },
    'through/link': { linkTo: '../new' },
    'later.ts': 'added as a name only',
  })
  await repository.git('add', '--intent-to-add', 'later.ts')
  await rename(join(repository.path, 'old'), join(repository.path, 'moved'))
  await chmod(join(repository.path, 'run.sh'), 0o755)
  const expected = await treeByGit(repository)

  await using tree = await open(repository.path)
  expect(tree.treeSha).toBe(expected)
  expect(tree).toMatchObject({ isClean: false, leftOut: [], changedFiles: 15 })
  expect(await filesOf(repository, tree)).toEqual({
    '.gitignore': '100644',
    kept: '100644',
    changed: '100644',
    staged: '100644',
    'run.sh': '100755',
    folder: '100644',
    'file/inner': '100644',
    link: '100644',
    outside: '120000',
    'through/link': '120000',
    'new/one': '100644',
    moved: '100644',
    'later.ts': '100644',
  })
  await using again = await open(repository.path)
  expect(again.treeSha).toBe(expected)
})

test('leaves the user’s repository as it was, and removes its temporary files', async () => {
  await using repository = await createGitRepository({ a: '1', b: '2' })
  await repository.git('update-index', '--split-index')
  await repository.commit({ c: '3' })
  await repository.write({ a: 'changed', new: 'new' })
  const state = async () => {
    const paths = execFileSync('find', [repository.path, '-type', 'f'], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .toSorted()
    return Promise.all(
      paths.map(async (path) => [
        path,
        createHash('sha1')
          .update(await readFile(path))
          .digest('hex'),
        path.includes('/objects/') || (await stat(path, { bigint: true })).mtimeNs,
      ]),
    )
  }
  const temporary = await mkdtemp(join(tmpdir(), 'assay-test-'))
  vi.stubEnv('TMPDIR', temporary)
  const before = await state()
  {
    await using tree = await open(repository.path)
    await tree.pack({ baseSha: tree.headSha, signal })
    expect(tree.treeSha).toMatch(/^[0-9a-f]{40}$/)
  }
  await expect(open(repository.path, { limits: { ...defaultSnapshotLimits, maxFiles: 1 } })).rejects.toThrow()
  await expect(open(repository.path, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
  vi.unstubAllEnvs()
  expect(await state()).toEqual(before)
  expect(execFileSync('ls', [temporary], { encoding: 'utf8' })).toBe('')
  await rm(temporary, { recursive: true })
})

test('packs a repository before its first commit', async () => {
  await using repository = await createGitRepository()
  {
    await using empty = await open(repository.path)
    expect(empty).toMatchObject({ headSha: null, branch: 'main', latestCommits: [], files: 0, isClean: false })
    expect(await filesOf(repository, empty)).toEqual({})
  }
  await repository.write({ a: '1' })
  await using tree = await open(repository.path)
  expect(tree).toMatchObject({ files: 1, changedFiles: 1, treeSha: await treeByGit(repository) })
  expect(await filesOf(repository, tree)).toEqual({ a: '100644' })
})

test('packs names that are no valid UTF-8 and names with line breaks and quotes', async () => {
  await using repository = await createGitRepository({ 'a\nb': '1', '"quoted"': '1' })
  await writeFile(Buffer.from(`${repository.path}/caf\xe9`, 'latin1'), 'coffee')
  await repository.write({
    'a\nb': 'changed',
    'new\n"name"': '1',
    ':(top)magic': '1',
    '-dash': '1',
    'back\\slash': '1',
  })
  await using tree = await open(repository.path)
  expect(tree).toMatchObject({ treeSha: await treeByGit(repository), changedFiles: 6, leftOut: [] })
  expect(Object.keys(await filesOf(repository, tree))).toHaveLength(7)
})

test('stores line endings and encodings as the user’s git would', async () => {
  await using repository = await createGitRepository({
    '.gitattributes': '*.bat text eol=crlf\n*.auto text=auto\n*.id ident\n*.u16 text working-tree-encoding=UTF-16\n',
    'run.bat': 'one\r\ntwo\r\n',
    'a.auto': 'one\n',
    'b.auto': 'one\n',
    'plain.txt': 'one\n',
    'a.id': '$Id$\n',
    'a.u16': Buffer.from('\ufeffone\n', 'utf16le'),
  })
  await repository.write({ 'crlf.txt': 'in the commit\r\n' })
  await repository.commit()
  for (const value of ['false', 'input', 'true']) {
    await repository.git('config', 'core.autocrlf', value)
    await rm(join(repository.path, '.git/index'))
    await repository.git('reset', '--quiet', '--hard')
    {
      await using unchanged = await open(repository.path)
      expect([value, unchanged.changedFiles]).toEqual([value, 0])
    }
    await repository.write({
      'run.bat': 'one\r\nTWO\r\n',
      'a.auto': 'one\r\nmore\r\n',
      'plain.txt': 'one\r\nmore\r\n',
      'new.txt': 'new\r\n',
      'crlf.txt': 'changed\r\n',
      'a.id': '$Id: something $\nmore\n',
      'a.u16': Buffer.from('\ufefftwo\n', 'utf16le'),
    })
    await using tree = await open(repository.path)
    expect([value, tree.treeSha]).toEqual([value, await treeByGit(repository)])
    await unlink(join(repository.path, 'new.txt'))
  }
})

test('takes the user’s own attributes and ignored files into account, and modes only where they count', async () => {
  await using repository = await createGitRepository({ a: '1', 'run.sh': 'sh', '.git/info/attributes': '*.t text\n' })
  await writeFile(join(repository.path, '../ignored'), '*.mine\n')
  await writeFile(join(repository.path, '../attributes'), '*.u text\n')
  await repository.git('config', 'core.excludesFile', join(repository.path, '../ignored'))
  await repository.git('config', 'core.attributesFile', join(repository.path, '../attributes'))
  await repository.git('config', 'core.fileMode', 'false')
  await chmod(join(repository.path, 'run.sh'), 0o755)
  await repository.write({ 'x.mine': '1', 'x.t': '1\r\n', 'x.u': '1\r\n' })
  await using tree = await open(repository.path)
  expect(tree).toMatchObject({ changedFiles: 2, treeSha: await treeByGit(repository) })
})

test('notices a change that leaves size and time as they were, and no change where only the time is new', async () => {
  await using repository = await createGitRepository({ a: 'one', b: 'same' })
  const { mtime } = await stat(join(repository.path, 'a'))
  await repository.write({ a: 'two', b: 'same' })
  execFileSync('touch', ['-d', mtime.toISOString(), join(repository.path, 'a')])
  await using tree = await open(repository.path)
  expect(tree.changedFiles).toBe(1)
})

test('packs linked working trees, split and sparse indexes, sparse checkouts and a detached HEAD', async () => {
  await using repository = await createGitRepository({ 'in/a': '1', 'out/b': '2', 'out/c': '3', top: '4' })
  const linked = join(repository.path, '../linked')
  await repository.git('worktree', 'add', '--quiet', '--detach', linked)
  await writeFile(join(linked, 'top'), 'changed')
  {
    await using tree = await open(linked)
    expect(tree).toMatchObject({ root: linked, branch: null, changedFiles: 1, files: 4 })
    expect(Object.keys(await filesOf(repository, tree))).toHaveLength(4)
  }
  for (const options of [['--cone'], ['--cone', '--sparse-index']]) {
    await repository.git('sparse-checkout', 'set', ...options, 'in')
    await expect(stat(join(repository.path, 'out'))).rejects.toThrow()
    {
      await using unchanged = await open(repository.path)
      expect(unchanged).toMatchObject({ isClean: true, files: 4 })
    }
    await repository.write({ 'in/a': 'changed', 'in/new': 'new', 'out/b': 'present and changed' })
    await using tree = await open(repository.path)
    expect(tree).toMatchObject({ changedFiles: 3, files: 5 })
    await repository.git('sparse-checkout', 'disable')
    await repository.git('reset', '--quiet', '--hard')
    await unlink(join(repository.path, 'in/new'))
  }
  await repository.git('update-index', '--split-index')
  await repository.write({ top: 'changed' })
  await using tree = await open(repository.path)
  expect(tree).toMatchObject({ changedFiles: 1, treeSha: await treeByGit(repository) })
})

test('packs with objects that the repository borrows itself, of a shallow clone, and with SHA-256', async () => {
  await using origin = await createGitRepository({ a: '1' })
  await origin.commit({ a: '2' })
  const path = (name: string) => join(origin.path, '..', name)
  await origin.git('clone', '--quiet', '--shared', origin.path, path('first'))
  await origin.git('clone', '--quiet', '--shared', path('first'), path('second'))
  await origin.git('clone', '--quiet', '--depth=1', `file://${origin.path}`, path('shallow'))
  for (const name of ['second', 'shallow']) {
    await writeFile(join(path(name), 'a'), 'changed')
    await using tree = await open(path(name))
    expect(tree).toMatchObject({ changedFiles: 1, branch: 'main' })
    expect(tree.latestCommits).toHaveLength(name === 'shallow' ? 1 : 2)
    expect(await filesOf(origin, tree)).toEqual({ a: '100644' })
  }
  await using other = await createGitRepository({ a: '1' }, { objectFormat: 'sha256' })
  await other.write({ a: '2' })
  await using tree = await open(other.path)
  expect(tree).toMatchObject({ format: 'sha256', treeSha: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(await filesOf(other, tree)).toEqual({ a: '100644' })
})

test('names paths with conflicts, and works in the middle of a merge, rebase or cherry-pick without any', async () => {
  for (const command of [['merge', '--no-commit'], ['rebase'], ['cherry-pick']]) {
    await using repository = await createGitRepository({ a: '1', b: '1' })
    await repository.git('checkout', '--quiet', '-b', 'side')
    await repository.commit({ a: '2', b: '2', fromSide: '1' })
    await repository.git('checkout', '--quiet', 'main')
    await repository.commit({ a: '3', b: '3' })
    await repository.git(...command, 'side').catch(() => undefined)
    await expect(open(repository.path)).rejects.toMatchObject({
      code: 'working_tree_refused',
      message: 'Resolve the conflicts in a and b first, and add them with git add.',
    })
    await repository.write({ a: 'resolved', b: 'resolved' })
    await repository.git('add', 'a', 'b')
    await using tree = await open(repository.path)
    expect(tree.treeSha).toBe(await treeByGit(repository))
  }
})

test('keeps an unchanged submodule as a commit has it, and refuses changed ones by name', async () => {
  await using inner = await createGitRepository({ file: '1' })
  await using repository = await createGitRepository({ a: '1' })
  for (const name of ['lib', 'unused']) {
    await repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.path, name)
  }
  const refused = (names: string) =>
    expect(open(repository.path)).rejects.toMatchObject({
      code: 'working_tree_refused',
      message: expect.stringContaining(`does not contain changes of submodules: ${names}. Commit`),
    })
  await refused('lib and unused')
  await repository.commit()
  await repository.git('submodule', 'deinit', '--quiet', 'unused')
  const lib = join(repository.path, 'lib')
  {
    await using unchanged = await open(repository.path)
    expect(unchanged).toMatchObject({ isClean: true, leftOut: [] })
  }
  await writeFile(join(lib, 'untracked'), '1')
  {
    await using tree = await open(repository.path)
    expect(tree).toMatchObject({ changedFiles: 0, isClean: false, leftOut: [{ path: 'lib', reason: 'submodule' }] })
  }
  await unlink(join(lib, 'untracked'))
  await writeFile(join(lib, 'file'), 'dirty')
  await refused('lib')
  await repository.git('-C', 'lib', 'commit', '--quiet', '--all', '--message=inner')
  await refused('lib')
  await repository.git('add', 'lib')
  await refused('lib')
  await repository.commit()
  {
    await using committed = await open(repository.path)
    expect(committed.isClean).toBe(true)
  }
  await rm(lib, { recursive: true })
  await using removed = await open(repository.path)
  expect([removed.changedFiles, removed.treeSha]).toEqual([1, await treeByGit(repository)])
})

test('leaves out repositories inside of the tree by name', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using other = await createGitRepository({ inner: '1' })
  await repository.git('clone', '--quiet', other.path, join(repository.path, 'vendor/nested'))
  await repository.git('worktree', 'add', '--quiet', '-b', 'side', join(repository.path, '.trees/side'))
  await using tree = await open(repository.path)
  expect(tree.leftOut).toMatchObject([
    { path: '.trees/side/', reason: 'repository' },
    { path: 'vendor/nested/', reason: 'repository' },
  ])
  expect([tree.isClean, tree.changedFiles]).toEqual([false, 0])
})

test('leaves out pipes, sockets and names that git does not allow', async () => {
  await using repository = await createGitRepository({ a: '1', pipe: 'was a file' })
  await unlink(join(repository.path, 'pipe'))
  execFileSync('mkfifo', [join(repository.path, 'pipe'), join(repository.path, 'untracked-pipe')])
  await using server = createServer().listen(join(repository.path, 'socket'))
  expect(server).toBeDefined()
  await repository.write({ 'git~1/config': 'x', 'sub/.GIT/config': 'x', new: '1' })
  await using tree = await open(repository.path)
  expect(tree.leftOut.map(({ path, reason }) => [path, reason])).toEqual([
    ['git~1/config', 'name'],
    ['pipe', 'special_file'],
    ['sub/.GIT/config', 'name'],
  ])
  expect(await filesOf(repository, tree)).toEqual({ a: '100644', new: '100644' })
})

test('refuses an index that leads out of the tree', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await writeFile(join(repository.path, '../secret'), 'secret')
  const index = join(repository.path, '.git/index')
  await repository.write({ xxxsecret: 'x' })
  await repository.git('add', 'xxxsecret')
  const bytes = await readFile(index)
  bytes.write('../secret', bytes.indexOf('xxxsecret'))
  createHash('sha1')
    .update(bytes.subarray(0, -20))
    .digest()
    .copy(bytes, bytes.length - 20)
  await writeFile(index, bytes)
  await expect(open(repository.path)).rejects.toMatchObject({
    code: 'working_tree_refused',
    message: expect.stringContaining('../secret'),
  })
})

test('lists a file that git refuses to add', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await repository.write({ '.gitmodules': { linkTo: 'a' } })
  await using tree = await open(repository.path)
  expect(tree).toMatchObject({ isClean: false, leftOut: [{ path: '.gitmodules', reason: 'name' }] })
})

test('takes a folder that became a symlink for what it is', async () => {
  await using repository = await createGitRepository({ 'dir/file': '1', a: '1' })
  await rename(join(repository.path, 'dir'), join(repository.path, '../moved'))
  await symlink('../moved', join(repository.path, 'dir'))
  await using tree = await open(repository.path)
  expect(await filesOf(repository, tree)).toEqual({ a: '100644', dir: '120000' })
})

test('packs a tree in which a file grows and another comes and goes all the time', async () => {
  await using repository = await createGitRepository({ a: '1' })
  const log = join(repository.path, 'server.txt')
  const program = `trap 'exit 0' TERM; while :; do echo line >> "$1"; : > "$1.tmp"; rm -f "$1.tmp"; done`
  await repository.write({ 'server.txt': 'x'.repeat(100_000) })
  appendFileSync(log, 'line\n')
  const writer = spawn('timeout', ['60', 'sh', '-c', program, 'sh', log], { stdio: 'ignore' })
  try {
    await using tree = await open(repository.path)
    const files = await filesOf(repository, tree)
    expect(Object.keys(files).filter((name) => !name.endsWith('.tmp'))).toEqual(['a', 'server.txt'])
  } finally {
    writer.kill()
    await once(writer, 'exit')
  }
})

test.skipIf(process.getuid?.() === 0)('names files that cannot be read', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await repository.write({ locked: 'x', 'dir/locked': 'x' })
  for (const name of ['locked', 'dir/locked']) await chmod(join(repository.path, name), 0)
  await expect(open(repository.path)).rejects.toMatchObject({
    code: 'working_tree_refused',
    message: expect.stringContaining('dir/locked and locked cannot be read.'),
  })
  for (const name of ['locked', 'dir/locked']) await unlink(join(repository.path, name))
  for (const name of ['tracked', 'untracked']) {
    await repository.write({ [`${name}/file`]: 'x' })
    if (name === 'tracked') await repository.commit()
    await chmod(join(repository.path, name), 0)
    await expect(open(repository.path)).rejects.toMatchObject({
      message: expect.stringMatching(/tracked\/\S* cannot be read/),
    })
    await chmod(join(repository.path, name), 0o755)
  }
})

test('leaves out untracked credentials and lists them, unless they are named or tracked', async () => {
  await using repository = await createGitRepository({ '.env.tracked': 'A=1', '.gitignore': '.env.local\n' })
  const token = `ghp_${'aB3dE5fG7hJ9'.repeat(3)}`
  await repository.write({
    '.env': 'SECRET=1',
    '.env.example': 'SECRET=',
    '.env.local': 'SECRET=1',
    'config/token.ts': `export const token = '${token}'`,
    'fixtures/id_rsa': 'x',
    'src/password.ts': 'export const password = process.env.PASSWORD',
    '.env.tracked': `TOKEN=${token}`,
    link: { linkTo: '.env' },
  })
  {
    await using tree = await open(repository.path)
    expect(tree.leftOut).toMatchObject([
      { path: '.env', reason: 'credential', why: expect.stringContaining('contains environment variables') },
      { path: 'config/token.ts', reason: 'credential', why: expect.stringContaining('contains a GitHub token') },
      { path: 'fixtures/id_rsa', reason: 'credential' },
    ])
    expect(tree.leftOut.map(({ why }) => why).join()).not.toContain(token)
    const files = Object.keys(await filesOf(repository, tree))
    expect(files).toEqual(['.env.example', '.env.tracked', '.gitignore', 'link', 'src/password.ts'])
  }
  await using tree = await open(repository.path, { include: ['./.env', 'fixtures/', 'config/token.ts', '.env.local'] })
  expect(tree.leftOut).toMatchObject([{ path: '.env.local', reason: 'not_found' }])
  expect(tree.files).toBe(8)
})

test('keeps pointers of Git LFS, makes new ones, and leaves out what another filter would change', async () => {
  const pointer = (content: string) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`
  await using repository = await createGitRepository({
    '.gitattributes': '*.bin filter=lfs -text\n*.crypt filter=git-crypt\n*.none filter=unknown\n',
    'same.bin': pointer('same'),
    'changed.bin': pointer('before'),
    'pointer.bin': pointer('not fetched'),
    'a.crypt': 'encrypted',
    'touched.crypt': 'not decrypted here',
  })
  await repository.git('config', 'filter.lfs.process', 'git-lfs filter-process')
  await repository.git('config', 'filter.git-crypt.clean', 'git-crypt clean')
  await repository.write({
    'same.bin': 'same',
    'changed.bin': 'after',
    'new.bin': 'new',
    'empty.bin': '',
    'a.crypt': 'plain text',
    'new.crypt': 'plain text',
    'x.none': 'raw',
  })
  await utimes(join(repository.path, 'touched.crypt'), 1, 1)
  await using tree = await open(repository.path)
  expect(tree.leftOut.map(({ path, reason }) => [path, reason])).toEqual([
    ['a.crypt', 'filter'],
    ['new.crypt', 'filter'],
  ])
  expect(tree.changedFiles).toBe(4)
  const { file } = await tree.pack({ baseSha: tree.headSha, signal })
  await using receiver = await receivePack(repository, { baseSha: tree.headSha, file, wanted: [tree.treeSha] })
  const contents: Record<string, string> = {}
  for (const name of ['same.bin', 'changed.bin', 'pointer.bin', 'new.bin', 'empty.bin', 'a.crypt', 'x.none']) {
    contents[name] = await receiver.git('cat-file', 'blob', `${tree.treeSha}:${name}`)
  }
  expect(contents).toEqual({
    'same.bin': pointer('same').trim(),
    'changed.bin': pointer('after').trim(),
    'pointer.bin': pointer('not fetched').trim(),
    'new.bin': pointer('new').trim(),
    'empty.bin': '',
    'a.crypt': 'encrypted',
    'x.none': 'raw',
  })
})

test('keeps to the limits, and names what was largest', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await repository.write({ 'node_modules/x/1': '1', 'node_modules/x/2': '2', 'src/1': '1' })
  await expect(open(repository.path, { limits: { ...defaultSnapshotLimits, maxFiles: 3 } })).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringMatching(/more than 3 files .* node_modules \(2\)/),
  })
  await repository.write({ 'dump.sql': 'x'.repeat(3_000), 'small.txt': 'x'.repeat(2_000) })
  await expect(
    open(repository.path, { limits: { ...defaultSnapshotLimits, maxUnpackedBytes: 4_000 } }),
  ).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('The largest files are dump.sql (3 KiB) and small.txt (2 KiB). Add'),
  })
})

test('reports progress and stops when it is told to', async () => {
  await using repository = await createGitRepository(
    Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`d/${index}`, String(index)])),
  )
  await repository.write({ new: 'new' })
  const seen: unknown[] = []
  await using tree = await open(repository.path, { onProgress: (progress) => seen.push(progress) })
  await tree.pack({ baseSha: tree.headSha, onProgress: (progress) => seen.push(progress), signal })
  expect(seen.slice(0, 3)).toEqual([
    { phase: 'listing', files: 1_000 },
    { phase: 'listing', files: 1_501 },
    { phase: 'packing', objects: 2, bytes: expect.any(Number) },
  ])
  const controller = new AbortController()
  const stopping = open(repository.path, { signal: controller.signal, onProgress: () => controller.abort() })
  await expect(stopping).rejects.toMatchObject({ code: 'cancelled' })
})

test('does not wait for settings that never end', async () => {
  await using repository = await createGitRepository({ a: '1' })
  const pipe = join(repository.path, '../pipe')
  execFileSync('mkfifo', [pipe])
  await repository.git('config', 'include.path', pipe)
  await expect(open(repository.path, { timeoutMs: 1_000 })).rejects.toMatchObject({ code: 'timeout' })
})

test('says where there is no working tree', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-none-'))
  execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'bare.git')])
  await mkdir(join(folder, 'broken/.git'), { recursive: true })
  for (const path of [folder, join(folder, 'bare.git'), join(folder, 'missing'), join(folder, 'broken')]) {
    await expect(open(path)).rejects.toMatchObject({ code: 'not_a_repository' })
  }
  expect((await lstat(folder)).isDirectory()).toBe(true)
  await rm(folder, { recursive: true })
})

test('leaves named files as HEAD has them', async () => {
  await using repository = await createGitRepository({
    'a.test': 'before',
    kept: '1',
    folder: '',
    'x/[a]*.test': 'before',
  })
  await repository.write({ 'a.test': 'after', 'new.test': 'new', kept: '2', 'x/[a]*.test': 'after', 'x/a.test': 'new' })
  await unlink(join(repository.path, 'folder'))
  await repository.write({ 'folder/deep.test': 'new', '.env.test': 'TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345' })
  const except = ['a.test', 'new.test', 'x/[a]*.test', 'folder/deep.test', '.env.test', 'nowhere']
  await using tree = await open(repository.path, { except })
  const { file } = await tree.pack({ baseSha: tree.headSha, signal })
  await using receiver = await receivePack(repository, { baseSha: tree.headSha, file, wanted: [tree.treeSha] })
  const content = (path: string) => receiver.git('show', `${tree.treeSha}:${path}`)
  expect(tree.leftOut).toEqual([])
  expect(await receiver.git('ls-tree', '-r', '--name-only', tree.treeSha)).toBe('a.test\nkept\nx/[a]*.test\nx/a.test')
  expect([await content('a.test'), await content('x/[a]*.test'), await content('kept')]).toEqual([
    'before',
    'before',
    '2',
  ])

  await using only = await open(repository.path, { except: [...except, 'kept', 'x/a.test', 'folder'] })
  expect(only).toMatchObject({
    isClean: true,
    changedFiles: 0,
    treeSha: await repository.git('rev-parse', 'HEAD^{tree}'),
  })
})
