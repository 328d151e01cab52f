import { parse } from 'node:path/posix'
import { globMatcher } from '../source/glob.ts'
import { isWithin } from '../test-names/paths.ts'
import { quoted } from './command-line.ts'
import type { PlanPart } from './plan.ts'
import type { TestingPart } from './schema.ts'
import { select, typedCommand } from './select.ts'

/** Stands for the file in a command, because runners want the path, the folder or the name of the class. */
const sample = { folder: 'assayfolder', name: 'assayname' }
const endings: Readonly<Record<string, string>> = { 'go test': '.go', 'cargo test': '.rs' }

/** Returns how a part of a plan is tested, without the reporters and paths of Assay. */
export function describeTesting(part: PlanPart): TestingPart {
  const fileCommand = fileCommandOf(part)
  return {
    directory: part.directory,
    ecosystem: part.ecosystem,
    framework: part.framework ?? part.writtenFor ?? 'unknown',
    command: typedCommand(part),
    ...(fileCommand !== undefined && { fileCommand }),
    ...(part.testFiles && arePatternsShort(part.testFiles) && { testFiles: [...part.testFiles] }),
  }
}

const maxPatternLength = 500

/** What is longer than any person writes would fill every answer. Then it is not known which files are collected. */
const arePatternsShort = (patterns: readonly string[]) => patterns.every(({ length }) => length <= maxPatternLength)

function fileCommandOf(part: PlanPart): string | undefined {
  const isCargo = part.framework === 'cargo test'
  const folder = isCargo ? 'tests' : sample.folder
  const path = `${folder}/${sample.name}${endings[part.framework ?? ''] ?? '.assay'}`
  const selected = select({ ...part, directory: '' }, { paths: [path], tests: [] })
  const command = 'step' in selected ? selected.step.short : undefined
  // Runners that take a pattern get the path as people type it, without backslashes.
  const withFile = command?.replace(/'?assayfolder\/assayname\\?\.assay'?/, '{file}')
  const filled = withFile?.replaceAll(sample.folder, '{folder}').replaceAll(sample.name, '{name}')
  return filled?.includes('{') ? filled : undefined
}

/**
 * Returns the command that runs one file, to be typed in the directory of the part; undefined if the runner cannot or the
 * file is outside of the directory.
 *
 * @param path - relative to the repository
 */
export function commandForFile(testing: TestingPart, path: string): string | undefined {
  const file = relativeTo(testing.directory, path)
  if (testing.fileCommand === undefined || file === undefined) return undefined
  const { dir, name } = parse(file)
  // Unit tests of Rust are in modules of the program.
  if (testing.framework === 'cargo test' && dir !== 'tests') return undefined
  const values: Readonly<Record<string, string>> = { file, folder: dir, name }
  const fill = (word: string) => word.replace(/\{(file|folder|name)\}/g, (_match, key: string) => values[key] ?? '')
  const words = testing.fileCommand.split(' ').map((word) => {
    const filled = fill(word)
    if (filled === word) return word
    return filled === './' ? '.' : quoted([fill(word.replaceAll("'", ''))])
  })
  return words.join(' ')
}

/**
 * Whether the command of the part collects the file; null if the plan does not know what it collects.
 *
 * @param path - relative to the repository
 */
export function collectsFile(part: TestingPart, path: string): boolean | null {
  const file = relativeTo(part.directory, path)
  if (file === undefined) return false
  let matcher = matchers.get(part)
  if (!matcher) {
    matcher = matcherOf(part)
    matchers.set(part, matcher)
  }
  return matcher(file)
}

/** Placing tests asks for the same files again and again. */
const matchers = new WeakMap<TestingPart, (file: string) => boolean | null>()

function matcherOf({ testFiles }: TestingPart): (file: string) => boolean | null {
  if (testFiles === undefined) return () => null
  const included = testFiles.filter((glob) => !glob.startsWith('!')).map(globMatcher)
  const excluded = testFiles.filter((glob) => glob.startsWith('!')).map((glob) => globMatcher(glob.slice(1)))
  const known = new Map<string, boolean>()
  return (file) => {
    let isCollected = known.get(file)
    if (isCollected === undefined) {
      isCollected = included.some((matches) => matches(file)) && !excluded.some((matches) => matches(file))
      known.set(file, isCollected)
    }
    return isCollected
  }
}

function relativeTo(directory: string, path: string): string | undefined {
  if (!isWithin(path, directory)) return undefined
  return directory === '' ? path : path.slice(directory.length + 1)
}
