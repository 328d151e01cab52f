import { posix } from 'node:path'
import type { Ranges } from '../../coverage/ranges.ts'
import { uniteRanges } from '../../coverage/ranges.ts'
import { findLanguage } from '../../languages/catalogue.ts'
import { detectLanguage } from '../../languages/detect.ts'
import { isGeneratedPath } from '../../languages/generated.ts'
import { isDocumentation, isVendored } from '../../languages/path-rules.ts'
import type { Changes } from '../../source/types.ts'
import { testRole } from '../../test-names/roles.ts'
import type { ChangedFile } from './facts.ts'

/** Components: markup in linguist's view, with code that tests run. */
const components = new Set(['Vue', 'Svelte', 'Astro'])
/** Programming languages in linguist's view that only build or deploy. */
const buildLanguages = new Set(['Dockerfile', 'Makefile', 'CMake', 'HCL', 'Nix', 'Starlark', 'Meson', 'Just', 'M4'])
/** Tools whose configuration is written as code: `vitest.config.ts`, `webpack.prod.config.js`. */
const tools = new Set(
  'vite vitest jest babel webpack rollup rolldown esbuild tsup eslint prettier stylelint tailwind postcss playwright cypress karma wdio next nuxt svelte astro metro commitlint lint-staged release knip drizzle ava'.split(
    ' ',
  ),
)
const configuration = /\.(?:config|conf|workspace)\.[cm]?[jt]s$/
const rcFile = /^\.[\w-]+rc\.[cm]?[jt]s$/
const buildFile = /^(?:gruntfile|gulpfile)\.[cm]?[jt]s$|^(?:setup|noxfile|fabfile)\.py$/i

function isConfiguration(path: string): boolean {
  const name = posix.basename(path)
  const [tool = ''] = name.split('.', 1)
  return (tools.has(tool) && configuration.test(name)) || rcFile.test(name) || buildFile.test(name)
}

const toolFolder = /(?:^|\/)\.(?:github|circleci|gitlab|husky|storybook|vscode|devcontainer)\//

const allLines: Ranges = [[1, 2 ** 31]]

/**
 * Lists the files of a change, sorted by path.
 *
 * @param generated - files whose content says that a tool wrote them, if the caller knows them
 */
export function changedFiles(
  { changed, added, gone }: Changes,
  generated: ReadonlySet<string> = new Set(),
): ChangedFile[] {
  const kindOf = (path: string) => (generated.has(path) ? 'other' : kindOfFile(path))
  const files: ChangedFile[] = []
  const movedFrom = new Set<string>()
  for (const [path, { before, hunks }] of changed) {
    if (before !== path) movedFrom.add(before)
    const lines = rangesOf(hunks.map(({ newStart, newLines }) => [newStart, newLines]))
    const removed = rangesOf(hunks.map(({ oldStart, oldLines }) => [oldStart, oldLines]))
    files.push({ path, before, kind: kindOf(path), change: 'changed', lines, removed })
  }
  for (const path of added) {
    // The path had another file before: a link that became a file, for example.
    const isReplaced = gone.has(path) && !movedFrom.has(path)
    files.push({
      path,
      before: isReplaced ? path : null,
      kind: kindOf(path),
      change: isReplaced ? 'changed' : 'added',
      lines: allLines,
      ...(isReplaced && { removed: allLines }),
    })
  }
  for (const path of gone) {
    if (movedFrom.has(path) || added.has(path)) continue
    files.push({ path, before: path, kind: kindOf(path), change: 'deleted', lines: [], removed: allLines })
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Classifies a file by its path. Code is what tests can run; configuration and documentation are `other`. */
function kindOfFile(path: string): ChangedFile['kind'] {
  if (isVendored(path) || toolFolder.test(path)) return 'other'
  const name = detectLanguage(path, null)
  const role = testRole(path, name)
  if (role !== undefined) return role === 'test' ? 'test' : 'test_support'
  if (isGeneratedPath(path) || isDocumentation(path) || isConfiguration(path)) return 'other'
  if (buildLanguages.has(name)) return 'other'
  return components.has(name) || findLanguage(name)?.type === 'programming' ? 'code' : 'other'
}

const rangesOf = (pairs: readonly (readonly [start: number, count: number])[]): Ranges =>
  uniteRanges(
    pairs.flatMap(([start, count]) => (count === 0 ? [] : [[start, start + count - 1] as const])),
    [],
  )
