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

/** A tool that copies third-party code changes more files than this, or the list of what it copied. */
const maxVendoredByHand = 5
const vendoredManifest =
  /(?:^|\/)(?:modules\.txt|package\.json|composer\.json|installed\.json|Cargo\.toml|METADATA|pyproject\.toml|bower\.json|\.bower\.json|vendor\.txt)$/

/**
 * Lists the files of a change, sorted by path.
 *
 * @param generated - files whose content says that a tool wrote them, if the caller knows them
 */
export function changedFiles(
  { changed, added, gone }: Changes,
  generated: ReadonlySet<string> = new Set(),
): ChangedFile[] {
  const isByHand = isEditedByHand([...changed.keys(), ...added])
  const kindOf = (path: string): Pick<ChangedFile, 'kind' | 'isVendored' | 'holdsCode'> => {
    if (generated.has(path)) return { kind: 'other', ...(isProgram(path) && { holdsCode: true }) }
    const kind = kindOfFile(path)
    if (kind !== 'other') return { kind }
    if (isVendoredCode(path)) return { kind: isByHand ? 'code' : kind, isVendored: true, holdsCode: true }
    const isCode = isProgram(path) && (isGeneratedPath(path) || isVendored(path) || isConfiguration(path))
    return { kind, ...(isCode && { holdsCode: true }) }
  }
  const files: ChangedFile[] = []
  const movedFrom = new Set<string>()
  for (const [path, { before, hunks }] of changed) {
    if (before !== path) movedFrom.add(before)
    const lines = rangesOf(hunks.map(({ newStart, newLines }) => [newStart, newLines]))
    const removed = rangesOf(hunks.map(({ oldStart, oldLines }) => [oldStart, oldLines]))
    files.push({ path, before, ...kindOf(path), change: 'changed', lines, removed, hunks })
  }
  for (const path of added) {
    // The path had another file before: a link that became a file, for example.
    const isReplaced = gone.has(path) && !movedFrom.has(path)
    files.push({
      path,
      before: isReplaced ? path : null,
      ...kindOf(path),
      change: isReplaced ? 'changed' : 'added',
      lines: allLines,
      ...(isReplaced && { removed: allLines }),
    })
  }
  for (const path of gone) {
    if (movedFrom.has(path) || added.has(path)) continue
    const kind = isVendored(path) ? 'other' : kindOf(path).kind
    files.push({ path, before: path, kind, change: 'deleted', lines: [], removed: allLines })
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Classifies a file by its path. Code is what tests can run; configuration and documentation are `other`. */
export function kindOfFile(path: string): ChangedFile['kind'] {
  if (isVendored(path) || toolFolder.test(path)) return 'other'
  const role = testRole(path, detectLanguage(path, null))
  if (role !== undefined) return role === 'test' ? 'test' : 'test_support'
  if (isGeneratedPath(path) || isDocument(path) || isConfiguration(path)) return 'other'
  return isProgram(path) ? 'code' : 'other'
}

/** A program with the name of a document, such as `src/readme.js`, is one only in a folder of documents. */
const isDocument = (path: string) =>
  isDocumentation(isProgram(path) ? posix.join(posix.dirname(path), `a${posix.extname(path)}`) : path)

/** Whether the file is in a programming language that does more than build or deploy. */
export function isProgram(path: string): boolean {
  const name = detectLanguage(path, null)
  return !buildLanguages.has(name) && (components.has(name) || findLanguage(name)?.type === 'programming')
}

/** Built code, folders of tools, and scripts that start build tools: `dist/a.js`, `.yarn/releases/yarn.cjs`, `gradlew`. */
const ofTools = /(?:^|\/)(?:dist\/|\.)|(?:^|\/)[^/.]+$|\.(?:bat|sh|ps1|m4|mk)$/

/** Whether the file is third-party code as its authors wrote it. */
const isVendoredCode = (path: string) =>
  isVendored(path) &&
  isProgram(path) &&
  !isGeneratedPath(path) &&
  !isConfiguration(path) &&
  !ofTools.test(path) &&
  testRole(path, detectLanguage(path, null)) === undefined

/** Whether somebody edited third-party code, instead of a tool that copied another version of it. */
function isEditedByHand(paths: readonly string[]): boolean {
  const vendored = paths.filter(isVendored)
  return (
    vendored.filter(isVendoredCode).length <= maxVendoredByHand && !vendored.some((path) => vendoredManifest.test(path))
  )
}

const rangesOf = (pairs: readonly (readonly [start: number, count: number])[]): Ranges =>
  uniteRanges(
    pairs.flatMap(([start, count]) => (count === 0 ? [] : [[start, start + count - 1] as const])),
    [],
  )
