import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { deflateSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommitSnapshot, openCommit } from './commit.ts'
import { runGit } from './git.ts'
import {
  commitOf,
  copies,
  deltaTo,
  distinctCopies,
  objectOf,
  type PackEntry,
  packOf,
  sealed,
  slowPack,
  treeOf,
} from './testing/handmade-pack.ts'
import { createGitRepository, type GitRepository } from './testing/git-repository.ts'
import { bytesBelow } from './files.ts'
import { watchGit, type Watched } from './testing/watch-git.ts'
import { receiveSnapshot, type ReceiveSnapshotOptions } from './receive-snapshot.ts'
import { defaultSnapshotLimits, type SnapshotLimits } from './snapshot.ts'
import { defaultSourceLimits, RepositoryError } from './types.ts'

const signal = new AbortController().signal
let folder: string
let project: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-receive-'))
  project = join(folder, 'snapshots/project')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const openBase = (repository: GitRepository, commitSha: string): Promise<CommitSnapshot> =>
  openCommit({
    url: repository.path,
    directory: join(folder, 'clone'),
    ref: { commitSha },
    allowLocal: true,
    allowCidrs: [],
    limits: defaultSourceLimits,
    signal,
  })

const limited = (limits: Partial<SnapshotLimits>): SnapshotLimits => ({ ...defaultSnapshotLimits, ...limits })

async function receive(pack: Buffer, options: Partial<ReceiveSnapshotOptions> & { treeSha: string }) {
  const file = join(folder, 'upload.pack')
  await writeFile(file, pack)
  return receiveSnapshot({
    pack: file,
    base: null,
    headSha: null,
    directory: join(project, 'one.git'),
    limits: defaultSnapshotLimits,
    signal,
    ...options,
  })
}

/** Also checks that nothing of the refused snapshot is left. */
async function refusalOf(receiving: Promise<unknown>): Promise<RepositoryError> {
  const failure = await receiving.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof RepositoryError)) throw new Error('it was not refused', { cause: failure })
  expect(existsSync(project) ? await readdir(project) : []).toEqual([])
  return failure
}

const a = objectOf('blob', 'hello\n')

/** A tree with one harmless file, and what is needed to be complete. */
const simple = treeOf(['100644', 'a', a])

test('keeps a working tree without a base as a commit of its own', async () => {
  const link = objectOf('blob', '../../etc/passwd')
  const src = treeOf(['100755', 'run.sh', a])
  const root = treeOf(['100644', 'a', a], ['120000', 'link', link], ['40000', 'src', src])
  const pack = packOf([a, link, src, root])
  const received = await receive(pack, { treeSha: root.id })
  expect(received.files).toBe(3)
  expect(received.bytes).toBe(await bytesBelow(join(project, 'one.git')))
  expect(await readdir(project)).toEqual(['one.git'])
  const again = await receive(pack, { treeSha: root.id, directory: join(project, 'two.git') })
  expect(again.commitSha).toBe(received.commitSha)
})

test('the same tree on the same parent is the same commit, on another parent another one', async () => {
  await using repository = await createGitRepository({ a: 'hello\n', b: 'b' })
  const first = await repository.git('rev-parse', 'HEAD')
  const second = await repository.commit({ c: 'c' })
  const commits: string[] = []
  for (const [index, commitSha] of [first, first, second].entries()) {
    await using base = await openBase(repository, commitSha)
    const directory = join(project, `${index}.git`)
    // The base has the file. Only the folder is new.
    const received = await receive(packOf([simple]), { treeSha: simple.id, base, headSha: commitSha, directory })
    commits.push(received.commitSha)
  }
  expect(new Set(commits).size).toBe(2)
  expect(commits[0]).toBe(commits[1])
})

test('a working tree that is equal to the base needs no objects', async () => {
  await using repository = await createGitRepository({ a: 'hello\n' })
  await using base = await openBase(repository, await repository.git('rev-parse', 'HEAD'))
  expect(await receive(packOf([]), { treeSha: simple.id, base })).toMatchObject({ files: 1 })
  await rm(project, { recursive: true })
  expect(await refusalOf(receive(packOf([]), { treeSha: simple.id }))).toMatchObject({ code: 'incomplete_pack' })
})

test('keeps the commits between the base and the checked-out commit', async () => {
  await using repository = await createGitRepository({ b: 'b' })
  const baseSha = await repository.git('rev-parse', 'HEAD')
  await using base = await openBase(repository, baseSha)
  const local = commitOf(simple, baseSha)
  const newest = commitOf(simple, local.id)
  const root = treeOf(['100644', 'uncommitted', a])
  const pack = packOf([a, simple, local, newest, root])
  const { commitSha } = await receive(pack, { treeSha: root.id, base, headSha: newest.id })
  const content = await runGit({ args: ['cat-file', 'commit', commitSha], gitDir: join(project, 'one.git'), signal })
  expect(content).toContain(`parent ${newest.id}\n`)
  // As git sees it, the repository is one whose history was cut off.
  const list = await runGit({ args: ['rev-list', commitSha], gitDir: join(project, 'one.git'), signal })
  expect(list.trim().split('\n')).toEqual([commitSha, newest.id, local.id])
})

test('a folder that a stopped process left unfinished is deleted by the next call', async () => {
  const left = join(project, 'trash-receiving-left')
  await mkdir(join(left, 'objects/pack'), { recursive: true })
  await writeFile(join(left, 'objects/pack/tmp_pack_1'), 'half')
  await receive(packOf([a, simple]), { treeSha: simple.id })
  expect(await readdir(project)).toEqual(['one.git'])
})

test('calls for one project wait for each other, and each is kept', async () => {
  const packs = Array.from({ length: 8 }, (_, index) => {
    const blob = objectOf('blob', `file ${index}`)
    const root = treeOf(['100644', 'a', blob])
    return { pack: packOf([blob, root]), treeSha: root.id }
  })
  const received = await Promise.all(
    packs.map(async ({ pack, treeSha }, index) => {
      const file = join(folder, `${index}.pack`)
      await writeFile(file, pack)
      return receive(pack, { pack: file, treeSha, directory: join(project, `${index}.git`) })
    }),
  )
  expect(new Set(received.map(({ commitSha }) => commitSha)).size).toBe(8)
  expect((await readdir(project)).toSorted()).toEqual(packs.map((_, index) => `${index}.git`))
})

test('stops when the caller aborts, and leaves nothing', async () => {
  const refusal = await refusalOf(receive(packOf([a, simple]), { treeSha: simple.id, signal: AbortSignal.abort() }))
  expect(refusal.code).toBe('cancelled')
})

const whole = packOf([a, simple])

/** Changes one byte, counted from the end if negative. */
function damaged(pack: Buffer, at: number): Buffer {
  const copy = Buffer.from(pack)
  const index = at < 0 ? copy.length + at : at
  copy[index] = (copy[index] ?? 0) ^ 0xff
  return copy
}

const cycle: PackEntry[] = [
  deltaTo({ id: simple.id, size: a.content.length }, a.content),
  deltaTo({ id: a.id, size: simple.content.length }, simple.content),
]

test.each<[string, Buffer, string, RegExp]>([
  ['an empty file', Buffer.alloc(0), 'invalid_pack', /not a git pack/],
  ['text', Buffer.from('hello'), 'invalid_pack', /not a git pack/],
  ['a bundle', Buffer.from('# v2 git bundle\n\nPACK'), 'invalid_pack', /is a git bundle/],
  ['a zip file', Buffer.from('PK\x03\x04 and so on'), 'invalid_pack', /is a zip file/],
  ['a pack of the future', packOf([a, simple], { version: 7 }), 'invalid_pack', /version 7/],
  ['only a header', whole.subarray(0, 12), 'invalid_pack', /too short/],
  ['a pack that was cut', whole.subarray(0, whole.length - 25), 'invalid_pack', /incomplete|corrupt/],
  ['a pack without its checksum', whole.subarray(0, whole.length - 20), 'invalid_pack', /incomplete|corrupt/],
  ['a wrong checksum', damaged(whole, -1), 'invalid_pack', /checksum|corrupt/],
  ['a corrupt object', sealed(damaged(whole.subarray(0, -20), 20)), 'invalid_pack', /corrupt/],
  ['fewer objects than announced', packOf([a, simple], { objects: 3 }), 'invalid_pack', /incomplete|corrupt/],
  ['more objects than announced', packOf([a, simple], { objects: 1 }), 'invalid_pack', /corrupt/],
  ['four billion objects', packOf([a, simple], { objects: 0xffff_ffff }), 'invalid_pack', /too short/],
  ['an object that claims another size', packOf([{ ...a, size: 3 }, simple]), 'invalid_pack', /corrupt/],
  ['a file that claims terabytes', packOf([{ ...a, size: 2 ** 45 }, simple]), 'invalid_pack', /corrupt/],
  ['a folder that claims terabytes', packOf([a, { ...simple, size: 2 ** 45 }]), 'too_large', /256 MiB/],
  ['an object twice', packOf([a, a, simple]), 'invalid_pack', /twice/],
  ['deltas in a cycle', packOf(cycle), 'incomplete_pack', /deltas of objects/],
  ['a delta of itself', packOf([cycle[0] ?? a, simple, a].slice(0, 1)), 'incomplete_pack', /deltas of objects/],
  [
    'a delta beyond its base',
    packOf([simple, a, deltaTo({ id: a.id, size: 99 }, a.content)]),
    'invalid_pack',
    /corrupt/,
  ],
  ['a file that is missing', packOf([simple]), 'incomplete_pack', /has a as the blob/],
  ['no tree', packOf([a]), 'incomplete_pack', /has the tree/],
  ['an object that belongs to nothing', packOf([a, simple, objectOf('blob', 'x')]), 'invalid_pack', /no part/],
  [
    'a tag',
    packOf([a, simple, objectOf('tag', `object ${a.id}\ntype blob\ntag v1\ntagger A <a@b> 1 +0000\n\nx\n`)]),
    'invalid_pack',
    /contains a tag/,
  ],
  ['a tag of garbage', packOf([a, simple, objectOf('tag', 'garbage')]), 'invalid_pack', /corrupt/],
  ['a commit of garbage', packOf([a, simple, objectOf('commit', 'garbage')]), 'invalid_pack', /corrupt/],
  ['a commit that nothing leads to', packOf([a, simple, commitOf(simple)]), 'invalid_pack', /not in the history/],
  ['a tree of garbage', packOf([a, simple, objectOf('tree', 'garbage')]), 'invalid_pack', /refuses|corrupt/],
])('refuses %s', async (_name, pack, code, words) => {
  const refusal = await refusalOf(receive(pack, { treeSha: simple.id }))
  expect(refusal).toMatchObject({ code, message: expect.stringMatching(words) })
  expect(refusal.message).not.toContain(folder)
})

test.each<[string, string]>([
  ['.git', '.git'],
  ['.git in capitals', '.GIT'],
  ['.git for Windows', 'git~1'],
  ['.git for Windows, with a dot', '.git.'],
  ['.git for Windows, with a blank', '.git '],
  ['.git for Windows, as a stream', '.git::$INDEX_ALLOCATION'],
  ['.git for Windows, below', 'x\\.git'],
  ['.git for macOS, with a mark that it ignores', Buffer.from('.g\u200cit').toString('latin1')],
  ['the folder above', '..'],
  ['the same folder', '.'],
  ['an absolute path', '/etc/passwd'],
  ['a path', 'src/a'],
  ['no name', ''],
])('refuses a file and a folder named as %s', async (_name, name) => {
  const config = treeOf(['100644', 'config', a])
  for (const root of [treeOf(['100644', name, a]), treeOf(['40000', name, config])]) {
    const needed = root.content.includes(Buffer.from(config.id, 'hex')) ? [a, config] : [a]
    const refusal = await refusalOf(receive(packOf([...needed, root]), { treeSha: root.id }))
    expect(refusal).toMatchObject({
      code: 'invalid_pack',
      message: expect.stringMatching(/refuses the object|corrupt/),
    })
    // Not deeper in the tree, either.
    const above = treeOf(['40000', 'above', root])
    expect((await refusalOf(receive(packOf([...needed, root, above]), { treeSha: above.id }))).code).toBe(
      'invalid_pack',
    )
  }
})

test.each([
  ['the same name twice', treeOf(['100644', 'a', a], ['100644', 'a', a])],
  ['a file and a folder of the same name', treeOf(['100644', 'a', a], ['40000', 'a', simple])],
  ['a wrong order', treeOf(['100644', 'b', a], ['100644', 'a', a])],
  ['the null id', treeOf(['100644', 'b', '0'.repeat(40)])],
])('refuses a tree with %s', async (_name, root) => {
  const refusal = await refusalOf(receive(packOf([a, simple, root]), { treeSha: root.id }))
  expect(refusal).toMatchObject({ code: 'invalid_pack', message: expect.stringContaining('refuses the object') })
})

test('refuses a file that is a folder, and a folder that is a file', async () => {
  for (const root of [treeOf(['100644', 'f', simple]), treeOf(['40000', 'f', a])]) {
    const refusal = await refusalOf(receive(packOf([a, simple, root]), { treeSha: root.id }))
    expect(['invalid_pack', 'incomplete_pack']).toContain(refusal.code)
  }
  expect((await refusalOf(receive(packOf([a]), { treeSha: a.id }))).code).toBe('incomplete_pack')
})

test('names that differ only in case are two files, as in a commit', async () => {
  const root = treeOf(['100644', 'README', a], ['100644', 'readme', a])
  expect(await receive(packOf([a, root]), { treeSha: root.id })).toMatchObject({ files: 2 })
})

test('refuses a submodule that the base does not have, by its name', async () => {
  await using repository = await createGitRepository({ b: 'b' })
  const [old, other] = ['1', '2'].map((digit) => digit.repeat(40))
  await repository.git('update-index', '--add', '--cacheinfo', `160000,${old},vendor/lib`)
  await repository.git('commit', '--quiet', '--message=Add a submodule')
  await using base = await openBase(repository, await repository.git('rev-parse', 'HEAD'))
  const rootWith = (id = '') => {
    const vendor = treeOf(['160000', 'lib', id])
    return { vendor, root: treeOf(['100644', 'new', a], ['40000', 'vendor', vendor]) }
  }
  const moved = rootWith(other)
  const refusal = await refusalOf(receive(packOf([a, moved.vendor, moved.root]), { treeSha: moved.root.id, base }))
  expect(refusal).toMatchObject({ code: 'invalid_pack', message: expect.stringContaining('vendor/lib') })
  // One that a local commit has moved is what it would be in that commit.
  const local = commitOf(moved.root, base.commitSha)
  const pack = packOf([a, moved.vendor, moved.root, local])
  expect(await receive(pack, { treeSha: moved.root.id, base, headSha: local.id })).toMatchObject({ files: 2 })
  const kept = rootWith(old)
  const directory = join(project, 'two.git')
  expect(await receive(packOf([a, kept.root]), { treeSha: kept.root.id, base, directory })).toMatchObject({ files: 2 })
})

test('refuses names and paths that no checkout can hold', async () => {
  const long = treeOf(['100644', 'n'.repeat(256), a])
  expect(await refusalOf(receive(packOf([a, long]), { treeSha: long.id }))).toMatchObject({
    code: 'invalid_pack',
    message: `The snapshot has a file or folder with a name of 256 bytes, and a name may have 255: ${'n'.repeat(60)}… Rename it, or add it to .gitignore.`,
  })
  const nested = [simple]
  for (let depth = 0; depth < 3_000; depth++) nested.push(treeOf(['40000', 'd', nested.at(-1) ?? simple]))
  const deep = await refusalOf(receive(packOf([a, ...nested]), { treeSha: nested.at(-1)?.id ?? '' }))
  expect(deep).toMatchObject({ code: 'invalid_pack', message: expect.stringContaining('a path of 3,84') })
  const fits = treeOf(['100644', 'n'.repeat(255), a])
  expect(await receive(packOf([a, fits]), { treeSha: fits.id })).toMatchObject({ files: 1 })
})

test('refuses a file with a mode that git does not know, by its name', async () => {
  const root = treeOf(['777', 'tool.sh', a])
  const { code, message } = await refusalOf(receive(packOf([a, root]), { treeSha: root.id }))
  expect({ code, message }).toEqual({
    code: 'invalid_pack',
    message: 'The snapshot has tool.sh with a mode that git does not know. Send a pack as git pack-objects writes it.',
  })
})

test('refuses a million files in a small pack', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => String(index).padStart(5, '0'))
  const leaf = treeOf(...names(1_000).map((name) => ['100644', name, a] as const))
  const root = treeOf(...names(1_000).map((name) => ['40000', name, leaf] as const))
  const refusal = await refusalOf(receive(packOf([a, leaf, root]), { treeSha: root.id }))
  expect(refusal).toMatchObject({
    code: 'too_large',
    message: expect.stringMatching(/^The snapshot has more than 200,000 files or folders.*00000 \(1,000\)/),
  })
  const flat = treeOf(...names(2_000).map((name) => ['100644', name, a] as const))
  const limits = limited({ maxFiles: 1_999 })
  expect(await refusalOf(receive(packOf([a, flat]), { treeSha: flat.id, limits }))).toMatchObject({ code: 'too_large' })
})

test('names the folders with the most files where there are too many', async () => {
  const leaf = (count: number) =>
    treeOf(...Array.from({ length: count }, (_, index) => ['100644', String(index).padStart(3, '0'), a] as const))
  const [few, many] = [leaf(3), leaf(50)]
  const root = treeOf(['100644', 'a', a], ['40000', 'data', many], ['40000', 'src', few], ['40000', 'test', many])
  const limits = limited({ maxFiles: 70 })
  expect(await refusalOf(receive(packOf([a, few, many, root]), { treeSha: root.id, limits }))).toMatchObject({
    code: 'too_large',
    message:
      'The snapshot has more than 70 files or folders, or its paths are too long in total. Most of them are in ' +
      'data (50), test (17), . (4). Add folders that tests do not need to .gitignore.',
  })
})

test('refuses folders without end and folders that only make paths long', async () => {
  const limits = limited({ maxFiles: 1_500 })
  let tree = treeOf(['100644', 'f', a])
  const wide = [a, tree]
  for (let depth = 0; depth < 40; depth++) {
    const below = tree
    tree = treeOf(...Array.from({ length: 10 }, (_, index) => ['40000', String(index), below] as const))
    wide.push(tree)
  }
  expect(await refusalOf(receive(packOf(wide), { treeSha: tree.id, limits }))).toMatchObject({ code: 'too_large' })
  tree = simple
  const deep = [a, tree]
  for (let depth = 0; depth < 5_000; depth++) deep.push((tree = treeOf(['40000', 'd', tree])))
  expect(await refusalOf(receive(packOf(deep), { treeSha: tree.id, limits }))).toMatchObject({ code: 'too_large' })
})

test('refuses a pack that is larger than allowed, and one with too many objects', async () => {
  const pack = packOf([a, simple])
  const limits = limited({ maxPackBytes: pack.length - 1 })
  expect(await refusalOf(receive(pack, { treeSha: simple.id, limits }))).toMatchObject({
    code: 'too_large',
    message:
      `The pack has ${pack.length} bytes, and may have ${pack.length - 1} (1 KiB). ` +
      'Add files that tests do not need to .gitignore, or commit and push the change.',
  })
  const few = limited({ maxFiles: 1 })
  const blobs = Array.from({ length: 5 }, (_, index) => objectOf('blob', `${index}`))
  expect(await refusalOf(receive(packOf(blobs), { treeSha: simple.id, limits: few }))).toMatchObject({
    code: 'too_large',
  })
})

test.each([
  ['one file', 1, 64],
  ['many deltas of one file', 100, 1],
])('refuses what unpacks to far more than allowed: %s', async (_name, deltas, copied) => {
  const mebibyte = objectOf('blob', Buffer.alloc(2 ** 20))
  const limits = limited({ maxUnpackedBytes: 16 * 2 ** 20 })
  const pack = packOf([mebibyte, ...distinctCopies(mebibyte, deltas, copied)])
  expect(pack.length).toBeLessThan(2 ** 20)
  const receiving = receive(pack, { treeSha: simple.id, limits })
  const watched = await watchGit(folder, receiving)
  expect(await refusalOf(receiving)).toMatchObject({ code: 'too_large', message: expect.stringContaining('16.0 MiB') })
  expectBounded(watched, pack, limits)
})

/** What a hostile pack may take of the machine, whatever it unpacks to. */
function expectBounded(watched: Watched, pack: Buffer, { maxUnpackedBytes }: SnapshotLimits): void {
  const { memoryBytes, folderBytes } = watched
  expect(memoryBytes).toBeLessThan(200 * 2 ** 20)
  // The pack as it was sent, and as git completes it.
  expect(folderBytes).toBeLessThan(pack.length + maxUnpackedBytes + 2 ** 20)
}

test('names the largest files of the tree and of local commits where the pack unpacks to too much', async () => {
  await using repository = await createGitRepository({ b: 'b' })
  await using base = await openBase(repository, await repository.git('rev-parse', 'HEAD'))
  const file = (megabytes: number) => objectOf('blob', Buffer.alloc(megabytes * 2 ** 20))
  const [large, small, committed] = [file(9), file(2), file(6)]
  const data = treeOf(['100644', 'large.bin', large], ['100644', 'small.bin', small])
  const root = treeOf(['100644', 'a', a], ['40000', 'data', data])
  const older = treeOf(['100644', 'old.bin', committed])
  const local = commitOf(older, base.commitSha)
  const pack = packOf([a, large, small, committed, data, root, older, local])
  const limits = limited({ maxUnpackedBytes: 16 * 2 ** 20 })
  const options = { treeSha: root.id, base, headSha: local.id, limits }
  const advice = 'Add files that tests do not need to .gitignore, or commit and push the change.'
  expect(await refusalOf(receive(pack, options))).toMatchObject({
    code: 'too_large',
    message:
      'The pack unpacks to 17.0 MiB, and may unpack to 16.0 MiB. The largest files are data/large.bin (9.0 MiB), ' +
      `old.bin (6.0 MiB) and data/small.bin (2.0 MiB). ${advice}`,
  })
  // Nothing leads to the files.
  expect(await refusalOf(receive(pack, { ...options, treeSha: 'f'.repeat(40) }))).toMatchObject({
    code: 'too_large',
    message: `The pack unpacks to 17.0 MiB, and may unpack to 16.0 MiB. ${advice}`,
  })
})

test('refuses an object with the id of another object of the base', async () => {
  await using repository = await createGitRepository({ a: 'hello\n' })
  // No collision of SHA-1 is at hand, so the base has the wrong content under the id.
  const file = join(repository.path, '.git/objects', a.id.slice(0, 2), a.id.slice(2))
  await rm(file)
  await writeFile(file, deflateSync(Buffer.from('blob 6\0other\n')))
  await using base = await openBase(repository, await repository.git('rev-parse', 'HEAD'))
  const root = treeOf(['100644', 'b', a])
  const refusal = await refusalOf(receive(packOf([a, root]), { treeSha: root.id, base }))
  expect(refusal).toMatchObject({ code: 'invalid_pack', message: expect.stringContaining('different object') })
})

test('objects that only the folder of the base happens to have are not part of a snapshot', async () => {
  await using repository = await createGitRepository({ secret: 'not committed any more\n' })
  await rm(join(repository.path, 'secret'))
  const baseSha = await repository.commit({ a: 'hello\n' })
  await using base = await openBase(repository, baseSha)
  const secret = objectOf('blob', 'not committed any more\n')
  const root = treeOf(['100644', 'mine', secret])
  expect(await refusalOf(receive(packOf([root]), { treeSha: root.id, base }))).toMatchObject({
    code: 'incomplete_pack',
  })
  // Nor through a delta that git completes from there.
  const other = objectOf('blob', 'mine\n')
  const both = treeOf(['100644', 'mine', secret], ['100644', 'other', other])
  const pack = packOf([deltaTo({ id: secret.id, size: secret.content.length }, other.content), both])
  expect(await refusalOf(receive(pack, { treeSha: both.id, base }))).toMatchObject({ code: 'incomplete_pack' })
})

test('refuses a checked-out commit that the pack lacks or that does not lead to the base', async () => {
  await using repository = await createGitRepository({ a: 'hello\n' })
  const baseSha = await repository.git('rev-parse', 'HEAD')
  await using base = await openBase(repository, baseSha)
  const root = treeOf(['100644', 'b', a])
  const receiveOn = (headSha: string | null, ...more: PackEntry[]) =>
    refusalOf(receive(packOf([root, ...more]), { treeSha: root.id, base, headSha }))
  expect(await receiveOn('1'.repeat(40))).toMatchObject({ code: 'incomplete_pack' })
  const unrelated = commitOf(simple)
  expect(await receiveOn(unrelated.id, unrelated)).toMatchObject({ message: expect.stringContaining('does not lead') })
  const cut = commitOf(simple, '1'.repeat(40))
  expect(await receiveOn(cut.id, cut)).toMatchObject({ message: expect.stringContaining('does not lead') })
  expect(await receiveOn(root.id)).toMatchObject({ code: 'incomplete_pack' })
  expect(await receiveOn(baseSha.slice(0, 7))).toMatchObject({ code: 'invalid_pack' })
  expect(await receiveOn('--help')).toMatchObject({ code: 'invalid_pack' })
  const own = commitOf(simple, baseSha)
  const stray = objectOf('blob', 'of no commit')
  expect(await receiveOn(own.id, own, stray)).toMatchObject({ message: expect.stringContaining('no part') })
})

test('refuses commits whose trees and parents are other objects', async () => {
  await using repository = await createGitRepository({ a: 'hello\n' })
  const baseSha = await repository.git('rev-parse', 'HEAD')
  await using base = await openBase(repository, baseSha)
  const root = treeOf(['100644', 'b', a])
  const own = commitOf(simple, baseSha)
  for (const tree of [a, own, { id: baseSha }]) {
    const head = commitOf(tree, own.id)
    const pack = packOf([root, own, head, a])
    expect(await refusalOf(receive(pack, { treeSha: root.id, base, headSha: head.id }))).toMatchObject({
      code: 'invalid_pack',
    })
  }
  for (const parent of [simple, a, root]) {
    const head = commitOf(simple, baseSha, parent.id)
    const pack = packOf([a, root, head])
    const refusal = await refusalOf(receive(pack, { treeSha: root.id, base, headSha: head.id }))
    expect(refusal).toMatchObject({ code: 'invalid_pack', message: expect.stringMatching(/as its parent|corrupt/) })
  }
})

test('a delta of an object of the base is completed, so that the base may be packed again', async () => {
  const long = 'a line of a long file\n'.repeat(50)
  await using repository = await createGitRepository({ a: long })
  const target = objectOf('blob', `${long}one more\n`)
  const root = treeOf(['100644', 'a', target])
  {
    await using base = await openBase(repository, await repository.git('rev-parse', 'HEAD'))
    const source = objectOf('blob', long)
    const pack = packOf([copies(source, 1, Buffer.from('one more\n')), root])
    await receive(pack, { treeSha: root.id, base })
  }
  await repository.git('gc', '--quiet', '--prune=now')
  const gitDir = join(project, 'one.git')
  expect(await runGit({ args: ['cat-file', 'blob', target.id], gitDir, signal })).toBe(`${long}one more\n`)
})

test('a process that is killed in the middle leaves what the next call deletes', async () => {
  const pack = join(folder, 'slow.pack')
  await writeFile(pack, slowPack())
  const options = { pack, treeSha: simple.id, base: null, headSha: null, directory: join(project, 'killed.git') }
  const program = `
    import { receiveSnapshot } from ${JSON.stringify(new URL('receive-snapshot.ts', import.meta.url).href)}
    import { defaultSnapshotLimits as limits } from ${JSON.stringify(new URL('snapshot.ts', import.meta.url).href)}
    await receiveSnapshot({ ...${JSON.stringify(options)}, limits, signal: new AbortController().signal })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const written = async () => (existsSync(project) ? await readdir(project, { recursive: true }) : [])
  while (child.exitCode === null && !(await written()).some((name) => name.includes('tmp_pack'))) await delay(50)
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect((await readdir(project)).every((name) => name === 'lock' || name.startsWith('trash-'))).toBe(true)
  await receive(packOf([a, simple]), { treeSha: simple.id })
  expect(await readdir(project)).toEqual(['one.git'])
})

test('stops git when a bomb would keep it busy for long', async () => {
  expect(slowPack().length).toBeLessThan(64 * 2 ** 20)
  const limits = limited({ maxUnpackedBytes: 2 ** 20 })
  const receiving = receive(slowPack(), { treeSha: simple.id, limits })
  const watched = await watchGit(folder, receiving)
  expect(await refusalOf(receiving)).toMatchObject({ code: 'too_large', message: expect.stringContaining('1.0 MiB') })
  expectBounded(watched, slowPack(), limits)
  expect(watched.limits).toEqual([{ memoryBytes: 2 ** 31, fileBytes: 2 ** 20, cpuSeconds: 3 }])
})
