import { existsSync } from 'node:fs'
import { appendFile, chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder, createRepository, type TestRepository } from './repository.ts'

/** A way in which a checkout can make git start a program. */
export interface Vector {
  name: string
  /** The settings in `.git/config`; `TRAP` stands for a program that leaves a marker. */
  config: string
  files?: Record<string, string>
  /** Removes an object, so that git fetches it from the remote. */
  isPartial?: boolean
  /** A plain git command that starts the program; absent if that takes a terminal or a server. */
  trigger?: readonly string[]
}

export interface HostileRepository extends TestRepository {
  /** Whether the program was started. */
  isTriggered(): boolean
}

/** The file of which the content is missing. */
export const lostFile = 'src/price.ts'

const attributes = { '.gitattributes': '* filter=trap diff=trap\n' }
const fetching = ['cat-file', '-e', `HEAD:${lostFile}`]
const status = ['status']
const promisor = (url: string, more = '') =>
  `[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n[extensions]\n\tpartialClone = origin\n` +
  `[remote "origin"]\n\turl = ${url}\n\tpromisor = true\n${more}`

export const vectors: readonly Vector[] = [
  { name: 'a promisor remote of ext::', config: promisor('ext::TRAP'), isPartial: true, trigger: fetching },
  {
    name: 'a promisor remote with an upload-pack',
    config: promisor('/nowhere', '\tuploadpack = TRAP\n'),
    isPartial: true,
    trigger: fetching,
  },
  {
    name: 'a promisor remote of ssh',
    config: `${promisor('ssh://example.com/a')}[core]\n\tsshCommand = TRAP\n`,
    isPartial: true,
    trigger: fetching,
  },
  {
    name: 'a promisor remote of git with a proxy',
    config: `${promisor('git://example.com/a')}[core]\n\tgitProxy = TRAP\n`,
    isPartial: true,
    trigger: fetching,
  },
  {
    name: 'a promisor remote whose URL is replaced',
    config: `${promisor('https://example.com/a')}[url "ext::TRAP "]\n\tinsteadOf = https://example.com/\n`,
    isPartial: true,
    trigger: fetching,
  },
  { name: 'a file system monitor', config: '[core]\n\tfsmonitor = TRAP\n', trigger: status },
  { name: 'a folder of hooks', config: '[core]\n\thooksPath = HOOKS\n', trigger: ['checkout', '--force', '.'] },
  { name: 'a clean filter', config: '[filter "trap"]\n\tclean = TRAP\n', files: attributes, trigger: ['add', '--all'] },
  {
    name: 'a process filter',
    config: '[filter "trap"]\n\tprocess = TRAP\n',
    files: attributes,
    trigger: ['add', '--all'],
  },
  {
    name: 'a smudge filter',
    config: '[filter "trap"]\n\tsmudge = TRAP\n',
    files: attributes,
    trigger: ['checkout', '--force', '.'],
  },
  { name: 'an external diff', config: '[diff]\n\texternal = TRAP\n', trigger: ['diff'] },
  { name: 'a diff driver', config: '[diff "trap"]\n\tcommand = TRAP\n', files: attributes, trigger: ['diff'] },
  { name: 'a text conversion', config: '[diff "trap"]\n\ttextconv = TRAP\n', files: attributes, trigger: ['diff'] },
  {
    name: 'a pager',
    config: '[core]\n\tpager = TRAP\n[pager]\n\tlog = TRAP\n\tconfig = TRAP\n',
  },
  { name: 'an alias', config: '[alias]\n\ttrap = !TRAP\n\tconfig = !TRAP\n', trigger: ['trap'] },
  {
    name: 'a credential helper',
    config: '[credential]\n\thelper = !TRAP\n',
  },
  { name: 'an included file', config: '[include]\n\tpath = INCLUDED\n', trigger: status },
]

/** Makes a repository with one commit and an uncommitted change, whose settings start a program in this way. */
export async function createHostileRepository(
  files: Record<string, string>,
  { config, files: more = {}, isPartial = false }: Vector,
): Promise<HostileRepository> {
  const outside = await createFolder()
  const repository = await createRepository({ ...files, ...more })
  const marker = join(outside.path, 'marker')
  const trap = join(outside.path, 'trap.sh')
  await writeFile(trap, `#!/bin/sh\ntouch ${marker}\nexit 1\n`)
  await chmod(trap, 0o755)
  const hooks = join(outside.path, 'hooks')
  for (const folder of [hooks, join(repository.path, '.git/hooks')]) {
    await mkdir(folder, { recursive: true })
    if (folder !== hooks && !config.includes('HOOKS')) continue
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'fsmonitor-watchman']) {
      await writeFile(join(folder, hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 })
    }
  }
  const included = join(outside.path, 'included')
  await writeFile(included, `[core]\n\tfsmonitor = ${trap}\n`)
  if (isPartial) {
    const lost = await repository.git('rev-parse', `HEAD:${lostFile}`)
    await rm(join(repository.path, '.git/objects', lost.slice(0, 2), lost.slice(2)))
  }
  await repository.write({ 'src/main.ts': `${files['src/main.ts'] ?? ''}// changed\n` })
  const path = join(repository.path, '.git/config')
  if (isPartial) {
    const own = await readFile(path, 'utf8')
    await writeFile(path, own.replace('repositoryformatversion = 0', 'repositoryformatversion = 1'))
  }
  await appendFile(path, config.replaceAll('TRAP', trap).replaceAll('HOOKS', hooks).replaceAll('INCLUDED', included))
  return {
    ...repository,
    isTriggered: () => existsSync(marker),
    async [Symbol.asyncDispose]() {
      await repository[Symbol.asyncDispose]()
      await outside[Symbol.asyncDispose]()
    },
  }
}

/** A repository with all ways at once, as far as they do not exclude each other. */
export const everything: Vector = {
  name: 'everything',
  config: vectors
    .filter(({ name }) => !name.startsWith('a promisor remote') || name === 'a promisor remote of ext::')
    .map(({ config }) => config)
    .join(''),
  files: attributes,
  isPartial: true,
  trigger: status,
}
