import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDeflate } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { cpuMilliseconds } from './testing/cpu-time.ts'
import { startGitHost } from './testing/git-host.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { type SourceLimits, defaultSourceLimits, RepositoryError, type Snapshot } from './types.ts'
import { openCommit, type OpenCommitOptions } from './commit.ts'
import { bytesBelow } from './files.ts'
import { GitError, runGit } from './git.ts'
import { findRemoteCommit, resolveRemoteCommit } from './remote.ts'
import { openWorkingTree } from './working-tree.ts'

const signal = new AbortController().signal
let folder: string
let directory: string
let canary: string
/** A program that leaves a trace when anything runs it. */
let trap: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-hostile-'))
  canary = join(folder, 'canary')
  trap = join(folder, 'trap.sh')
  await writeFile(trap, `#!/bin/sh\ntouch ${canary}\nexit 1\n`)
  await chmod(trap, 0o755)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

beforeEach(async () => {
  await rm(canary, { force: true })
  directory = await mkdtemp(join(folder, 'clone-'))
})

function open(url: string, options: Partial<OpenCommitOptions> = {}): Promise<Snapshot> {
  const allowCidrs = ['127.0.0.0/8']
  return openCommit({
    url,
    directory,
    ref: {},
    allowLocal: true,
    allowCidrs,
    limits: defaultSourceLimits,
    signal,
    ...options,
  })
}

const limited = (limits: Partial<SourceLimits>): SourceLimits => ({ ...defaultSourceLimits, ...limits })

async function refusalOf(opening: Promise<Snapshot>): Promise<RepositoryError> {
  const failure = await opening.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof RepositoryError)) throw new Error('it was not refused', { cause: failure })
  return failure
}

async function contentsOf(snapshot: Snapshot) {
  const contents = new Map<string, string | null>()
  for await (const { entry, content } of snapshot.read(snapshot.entries, signal)) {
    contents.set(entry.path, content?.toString() ?? null)
  }
  return contents
}

/** What analysing it would do to a repository, from beginning to end. */
async function readAll(snapshot: Snapshot) {
  await using opened = snapshot
  const contents = await contentsOf(opened)
  await opened.history(signal)
  return contents
}

async function expectNothingLeft() {
  expect(existsSync(directory) ? await readdir(directory) : []).toEqual([])
}

test('runs no program that a URL or a branch names', async () => {
  await using repository = await createGitRepository({ a: '1' })
  const urls = [`ext::sh -c touch% ${canary}`, `--upload-pack=${trap}`, `ssh://-oProxyCommand=${trap}/app`, '-c']
  for (const url of urls) expect((await refusalOf(open(url))).code).toBe('url_refused')
  for (const branch of [`--upload-pack=${trap}`, '-c', `--exec=${trap}`]) {
    expect((await refusalOf(open(repository.path, { ref: { branch } }))).code).toBe('branch_not_found')
    await expect(
      resolveRemoteCommit({ url: repository.path, ref: { branch }, allowLocal: true, allowCidrs: [], signal }),
    ).rejects.toBeInstanceOf(RepositoryError)
  }
  // Even if such a URL came through, git itself would not take it.
  const network = { protocol: 'https', maxFileBytes: 0 } as const
  for (const url of [urls[0] ?? '', repository.path, `file://${repository.path}`, 'http://127.0.0.1:1/x']) {
    const failure = await runGit({ args: ['ls-remote', '--', url], network, signal }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(GitError)
    expect(failure).toMatchObject({ stderr: expect.stringContaining('not allowed') })
  }
  expect(existsSync(canary)).toBe(false)
})

test('runs nothing that the settings of a local repository name', async () => {
  await using repository = await createGitRepository({
    a: '1',
    'b.dat': '2',
    '.gitattributes': '*.dat filter=trap diff=trap',
  })
  const settings = `
[core]
\tfsmonitor = ${trap}
\thooksPath = ${join(folder, 'hooks')}
\tsshCommand = ${trap}
\tgitProxy = ${trap}
\tpager = ${trap}
\teditor = ${trap}
\talternateRefsCommand = ${trap}
[uploadpack]
\tpackObjectsHook = ${trap}
[filter "trap"]
\tclean = ${trap}
\tsmudge = ${trap}
\tprocess = ${trap}
\trequired = true
[diff]
\texternal = ${trap}
[diff "trap"]
\ttextconv = ${trap}
\tcommand = ${trap}
[log]
\tshowSignature = true
[gpg]
\tprogram = ${trap}
[credential]
\thelper = !${trap}
[protocol]
\tallow = always
[remote "origin"]
\turl = ext::${trap}
\tuploadpack = ${trap}
\tvcs = ext
\tpromisor = true
\tpartialclonefilter = blob:none
[extensions]
\tpartialClone = origin
[alias]
${['rev-parse', 'ls-tree', 'cat-file', 'log', 'ls-files'].map((name) => `\t${name} = !${trap}`).join('\n')}
`
  const hooks = ['post-checkout', 'reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'pre-auto-gc']
  for (const place of [join(folder, 'hooks'), join(repository.path, '.git/hooks')]) {
    await mkdir(place, { recursive: true })
    for (const hook of hooks) await writeFile(join(place, hook), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 })
  }
  // One object is missing, so that git would fetch it from the remote, which is a program.
  const lost = await repository.git('rev-parse', 'HEAD:a')
  await rm(join(repository.path, '.git/objects', lost.slice(0, 2), lost.slice(2)))
  const config = join(repository.path, '.git/config')
  await writeFile(
    config,
    (await readFile(config, 'utf8')).replace('repositoryformatversion = 0', 'repositoryformatversion = 1') + settings,
  )
  await rm(canary, { force: true })
  await repository.write({ 'b.dat': 'changed', 'c.dat': 'new' })

  for (const url of [repository.path, `file://${repository.path}`]) {
    const contents = await readAll(await open(url))
    expect([contents.get('a'), contents.get('b.dat')]).toEqual([null, '2'])
  }
  const contents = await readAll(await openWorkingTree(repository.path, { limits: defaultSourceLimits, signal }))
  expect([contents.get('a'), contents.get('b.dat'), contents.get('c.dat')]).toEqual(['1', 'changed', 'new'])
  expect(existsSync(canary)).toBe(false)

  // The trap is a real one: git as people use it runs into it.
  await repository.git('status').catch(() => undefined)
  expect(existsSync(canary)).toBe(true)
})

test('never reads the target of a symlink', async () => {
  await using repository = await createGitRepository({
    passwd: { linkTo: '/etc/passwd' },
    up: { linkTo: '../../../../../../etc' },
    'dir/inner': 'inner',
  })
  await using host = await startGitHost({ app: repository.path })
  for (const url of [`${host.url}/app`, repository.path]) {
    const contents = await readAll(await open(url))
    expect(contents.get('passwd')).toBe('/etc/passwd')
    expect(contents.get('up')).toBe('../../../../../../etc')
  }
  // In a working tree also a folder may have become a symlink since git last looked.
  await rm(join(repository.path, 'dir'), { recursive: true })
  await repository.write({ dir: { linkTo: folder } })
  await writeFile(join(folder, 'inner'), 'secret')
  const contents = await readAll(await openWorkingTree(repository.path, { limits: defaultSourceLimits, signal }))
  expect(contents.get('passwd')).toBe('/etc/passwd')
  expect(contents.has('dir/inner')).toBe(false)
  expect([...contents.values()].join()).not.toMatch(/secret|root:/)
})

/** Two million files in three trees: a thousand files, which two thousand folders share. */
async function millionsOfFiles(repository: GitRepository) {
  const blob = await repository.gitWithInput('x', 'hash-object', '-w', '--stdin')
  const names = (count: number) => Array.from({ length: count }, (_, index) => String(index).padStart(5, '0'))
  const files = names(1_000).map((name) => `100644 blob ${blob}\t${name}\n`)
  const leaf = await repository.gitWithInput(files.join(''), 'mktree')
  const folders = names(2_000).map((name) => `040000 tree ${leaf}\t${name}\n`)
  return repository.gitWithInput(folders.join(''), 'mktree')
}

/** A tree that holds itself so often that no computer gets to its end, and not a single file. */
async function endlessFolders(repository: GitRepository) {
  let tree = await repository.gitWithInput('', 'mktree')
  for (let depth = 0; depth < 40; depth++) {
    const entries = Array.from({ length: 10 }, (_, index) => `040000 tree ${tree}\t${index}\n`)
    tree = await repository.gitWithInput(entries.join(''), 'mktree')
  }
  return tree
}

/** Built without git, which does not make such names. */
async function treeOf(repository: GitRepository, entries: [mode: string, name: string, id: string][]) {
  const tree = Buffer.concat(
    entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  )
  return repository.gitWithInput(tree, 'hash-object', '-t', 'tree', '-w', '--stdin', '--literally')
}

async function pointMainTo(repository: GitRepository, tree: string) {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
  const commit = await repository.git(...author, 'commit-tree', '-m', 'Change', tree)
  await repository.git('update-ref', 'refs/heads/main', commit)
}

test.each([
  ['two million files', millionsOfFiles],
  ['folders without end', endlessFolders],
])('refuses a tree of %s while it is listed', async (_name, build) => {
  await using repository = await createGitRepository()
  await pointMainTo(repository, await build(repository))
  await using host = await startGitHost({ app: repository.path })
  for (const url of [`${host.url}/app`, repository.path]) {
    const heap = process.memoryUsage().heapUsed
    const spent = await cpuMilliseconds(async () => {
      expect(await refusalOf(open(url))).toMatchObject({
        code: 'too_large',
        message: expect.stringContaining('200,000'),
      })
    })
    expect(spent).toBeLessThan(5_000)
    expect(process.memoryUsage().heapUsed - heap).toBeLessThan(200 * 2 ** 20)
  }
})

test('refuses folders in folders that only make paths long', async () => {
  await using repository = await createGitRepository()
  const path = `${'d/'.repeat(1_500)}f`
  const deep = `commit refs/heads/main\ncommitter A <a@example.com> 0 +0000\ndata 0\nM 644 inline ${path}\ndata 1\nx\n`
  await repository.gitWithInput(deep, 'fast-import', '--quiet')
  await using host = await startGitHost({ app: repository.path })
  for (const url of [`${host.url}/app`, repository.path]) {
    const limits = limited({ maxFiles: 5_000 })
    expect(await refusalOf(open(url, { limits }))).toMatchObject({ code: 'too_large' })
  }
})

test('treats malicious file names as plain names', async () => {
  await using repository = await createGitRepository()
  const blob = await repository.gitWithInput('x', 'hash-object', '-w', '--stdin')
  const hooks = await treeOf(repository, [['100755', 'post-checkout', blob]])
  const up = await treeOf(repository, [['100644', 'passwd', blob]])
  const root = await treeOf(repository, [
    ['100644', 'a\nb\x1b[31m', blob],
    ['100644', '--upload-pack=x', blob],
    ['40000', '..', up],
    ['40000', '.git', hooks],
    ['100644', '/etc/passwd', blob],
  ])
  await pointMainTo(repository, root)
  const contents = await readAll(await open(repository.path))
  expect([...contents.keys()]).toEqual([
    'a\\x0ab\\x1b[31m',
    '--upload-pack=x',
    '../passwd',
    '.git/post-checkout',
    '/etc/passwd',
  ])
  expect(new Set(contents.values())).toEqual(new Set(['x']))
  await expectNothingLeft()

  await using host = await startGitHost({ app: repository.path })
  expect(await refusalOf(open(`${host.url}/app`))).toMatchObject({ code: 'not_a_repository' })
  await expectNothingLeft()
})

test('accepts the malformed objects that well-known repositories contain', async () => {
  await using repository = await createGitRepository()
  const blob = await repository.gitWithInput('x', 'hash-object', '-w', '--stdin')
  const inner = await treeOf(repository, [['100664', 'a', blob]])
  const root = await treeOf(repository, [['040000', 'old', inner]])
  const commit = `tree ${root}\nauthor No Mail 1 +0000\ncommitter A <a@b> 2147483648 +51800\n\nOld\n`
  const id = await repository.gitWithInput(commit, 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally')
  await repository.git('update-ref', 'refs/heads/main', id)
  await using host = await startGitHost({ app: repository.path })
  expect([...(await readAll(await open(`${host.url}/app`))).keys()]).toEqual(['old/a'])
  const left = await readdir(directory, { recursive: true })
  expect(left.filter((name) => name.includes('tmp_'))).toEqual([])
})

/** Written as an object file by hand: git takes its time for so much. */
async function hugeBlob(repository: GitRepository, bytes: number): Promise<string> {
  const header = Buffer.from(`blob ${bytes}\0`)
  const zeros = Buffer.alloc(2 ** 20)
  const content = function* () {
    yield header
    for (let left = bytes; left > 0; left -= zeros.length) yield zeros.subarray(0, Math.min(left, zeros.length))
  }
  const hash = createHash('sha1')
  for (const chunk of content()) hash.update(chunk)
  const id = hash.digest('hex')
  const file = join(repository.path, '.git/objects', id.slice(0, 2), id.slice(2))
  await mkdir(dirname(file), { recursive: true })
  await pipeline(Readable.from(content()), createDeflate({ level: 1 }), createWriteStream(file))
  return id
}

test('does not fetch or keep 100 MB that are packed into half a megabyte', async () => {
  await using repository = await createGitRepository()
  const bytes = 100 * 10 ** 6
  const blob = await hugeBlob(repository, bytes)
  await pointMainTo(repository, await repository.gitWithInput(`100644 blob ${blob}\tzeros.bin\n`, 'mktree'))
  for (const filters of [true, false]) {
    await using host = await startGitHost({ app: repository.path }, { filters })
    const directoryOfOne = join(directory, String(filters))
    await using snapshot = await open(`${host.url}/app`, { directory: directoryOfOne })
    expect(await contentsOf(snapshot)).toEqual(new Map([['zeros.bin', null]]))
    expect(snapshot.warnings).toMatchObject([{ code: 'too_large', path: 'zeros.bin' }])
    expect(await bytesBelow(directoryOfOne)).toBeLessThan(filters ? 20_000 : 1_250_000)
  }
})

test('stops a fetch that takes more disk than allowed, and gives the disk back', async () => {
  await using repository = await createGitRepository()
  await repository.commit({ 'noise.bin': randomBytes(10 * 2 ** 20) })
  await using host = await startGitHost({ app: repository.path }, { filters: false })
  const limits = limited({ maxCloneBytes: 2 ** 20 })
  expect(await refusalOf(open(`${host.url}/app`, { limits }))).toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('1 MiB'),
  })
  await expectNothingLeft()
})

test('stops waiting for a server that stalls, and leaves no files behind', async () => {
  await using repository = await createGitRepository({ 'a.bin': randomBytes(300_000) })
  await using host = await startGitHost({ app: repository.path }, { stallAfterBytes: 800 })
  const started = performance.now()
  const refusal = await refusalOf(open(`${host.url}/app`, { limits: limited({ fetchTimeoutMs: 1_000 }) }))
  expect(refusal).toMatchObject({
    code: 'timeout',
    message: 'Fetching the commit took longer than 1 s and was stopped.',
  })
  // Git itself would wait for 30 s.
  expect(performance.now() - started).toBeLessThan(15_000)
  await expectNothingLeft()
})

test('stops when the caller aborts', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using host = await startGitHost({ app: repository.path }, { stallAfterBytes: 10 })
  const caller = new AbortController()
  const opening = refusalOf(open(`${host.url}/app`, { signal: caller.signal }))
  await host.stalled
  caller.abort()
  expect(await opening).toMatchObject({ code: 'cancelled' })
  await expectNothingLeft()
})

test('follows no redirect to another place', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using target = await startGitHost({ app: repository.path })
  await using host = await startGitHost({}, { redirectTo: target.url })
  expect(await refusalOf(open(`${host.url}/app`))).toMatchObject({
    code: 'url_refused',
    message: expect.stringContaining('redirects'),
  })
  expect(target.requests).toEqual([])
  expect(host.requests.length).toBeGreaterThan(0)
})

test('does not connect to private addresses', async () => {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hosts = [
    '127.0.0.1',
    'localhost',
    '0x7f.1',
    '2130706433',
    '127.1',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '１２７.0.0.1',
  ]
  for (const scheme of ['https', 'http']) {
    for (const name of hosts) {
      const url = `${scheme}://${name}:${port}/app`
      expect([url, (await refusalOf(open(url, { allowCidrs: ['10.0.0.0/8'] }))).code]).toEqual([url, 'url_refused'])
    }
  }
  await new Promise((resolve) => server.close(resolve))
  expect(connections).toBe(0)
})

test('uses plain http only where a network is named for it', async () => {
  const refusal = await refusalOf(open('http://8.8.8.8/app'))
  expect(refusal).toMatchObject({ code: 'url_refused', message: expect.stringContaining('Use https') })
})

test('connects to the address that was checked, even if the name resolves to another one since', async () => {
  await using repository = await createGitRepository({ a: '1' })
  await using host = await startGitHost({ app: repository.path })
  // A name that no name server knows: only the pinned address can lead to the host.
  const remote = {
    url: `http://rebound.invalid:${host.port}/app`,
    host: 'rebound.invalid',
    network: 'http' as const,
    settings: [['http.curloptResolve', `rebound.invalid:${host.port}:127.0.0.1`] as const],
    secrets: [],
  }
  await expect(findRemoteCommit(remote, {}, signal)).resolves.toMatchObject({ branch: 'main' })
})

test('sends a credential only to the server, and keeps it out of messages and processes', async () => {
  await using repository = await createGitRepository({ 'a.bin': randomBytes(300_000) })
  const credential = { username: 'ada', password: 'hunter2hunter2' }
  const forms = [credential.password, Buffer.from(`ada:${credential.password}`).toString('base64')]
  await using host = await startGitHost({ app: repository.path }, { credential, stallAfterBytes: 800 })
  const caller = new AbortController()
  const opening = refusalOf(open(`${host.url}/app`, { credential, signal: caller.signal }))
  await host.stalled
  const running = await commandLines()
  expect(running.some((line) => line.includes('remote-http'))).toBe(process.platform === 'linux')
  expect(running.filter((line) => forms.some((form) => line.includes(form)))).toEqual([])
  expect(await filesThatMention(directory, forms)).toEqual([])
  caller.abort()
  await opening

  delete host.behaviour.stallAfterBytes
  await using snapshot = await open(`${host.url}/app`, { credential })
  await snapshot.history(signal)
  expect(await filesThatMention(directory, forms)).toEqual([])

  host.behaviour.credential = { username: 'ada', password: 'changed' }
  const refusal = await refusalOf(open(`${host.url}/app`, { credential, directory: join(directory, 'other') }))
  expect(refusal.code).toBe('authentication_required')
  const shown = JSON.stringify([refusal.message, refusal.stack, refusal.cause])
  expect(forms.filter((form) => shown.includes(form))).toEqual([])
})

async function commandLines(): Promise<string[]> {
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  return Promise.all(processes.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
}

async function filesThatMention(place: string, texts: string[]): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  expect(files.length).toBeGreaterThan(3)
  const contents = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))
  return files.filter((_file, index) => texts.some((text) => contents[index]?.includes(text)))
}
