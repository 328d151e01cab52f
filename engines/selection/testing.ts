import { noPlanSettings } from '../analysis/read-testing.ts'
import { listChanges } from '../source/changes.ts'
import { createGitRepository, type Files } from '../source/testing/git-repository.ts'
import type { TreeEntry } from '../source/types.ts'
import { readState } from './read-state.ts'
import { reasonText, skipText } from './reason-text.ts'
import { selectTests } from './select-tests.ts'
import type { MeasuredReach, SelectionInput, TestSelection } from './types.ts'

/** A change: new contents by path, null for files that it deletes. */
export type Change = Record<string, Files[string] | null>

/** Commits a repository and a change of it, and selects tests for the change. */
export async function selectionFor(
  files: Files,
  change: Change,
  { reach, ...input }: Partial<Omit<SelectionInput, 'reach'>> & { reach?: Omit<MeasuredReach, 'changes'> } = {},
): Promise<TestSelection> {
  await using repository = await createGitRepository(files)
  const base = await repository.git('rev-parse', 'HEAD')
  for (const [path, content] of Object.entries(change))
    if (content === null) await repository.git('rm', '--quiet', path)
  const written = Object.entries(change).flatMap(([path, content]) =>
    content === null ? [] : [[path, content] as const],
  )
  const head = await repository.commit(Object.fromEntries(written))
  const listed = await repository.git('ls-tree', '-r', '-z', '--long', head)
  const entries = listed.split('\0').flatMap((line): TreeEntry[] => {
    const [, mode = '', blobId = '', size = '', path] = /^(\d+) \w+ (\w+) +(\S+)\t(.+)$/s.exec(line) ?? []
    return path === undefined ? [] : [{ path, mode, blobId, size: size === '-' ? null : Number(size) }]
  })
  const signal = new AbortController().signal
  const state = await readState(
    {
      entries,
      async *read(wanted) {
        for (const entry of wanted) {
          const end = entry.mode === '120000' ? '' : '\n'
          yield { entry, content: Buffer.from(`${await repository.git('cat-file', 'blob', entry.blobId)}${end}`) }
        }
      },
    },
    { records: new Map(), known: new Map(), settings: noPlanSettings, signal },
  )
  const changes = await listChanges({ gitDir: `${repository.path}/.git`, signal }, base, head)
  return selectTests({ ...state, changes, ...input, ...(reach && { reach: { changes, ...reach } }) })
}

/** Returns one line per test file, or why all run. */
export function told({ mode, whyAll, tests, skipped }: TestSelection): string[] {
  if (mode === 'all') return [`all: ${whyAll}`]
  return [
    ...tests.map(({ file, reason }) => `${file} ${reasonText(reason)}`),
    ...skipped.map(({ file, reason }) => `not ${file}: ${skipText(reason)}`),
  ]
}

export const vitestProject = (more: object = {}): Files => ({
  'package.json': JSON.stringify({
    name: 'app',
    type: 'module',
    scripts: { test: 'vitest' },
    devDependencies: { vitest: '*' },
    ...more,
  }),
})

export const pytestProject: Files = { 'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n' }

export const goProject: Files = { 'go.mod': 'module example.com/app\n\ngo 1.21\n' }
