import { posix } from 'node:path'
import { detectLanguage } from '../../languages/detect.ts'
import { isGeneratedContent, isGeneratedPath } from '../../languages/generated.ts'
import { isDocumentation, isVendored } from '../../languages/path-rules.ts'
import { isTestSetup } from '../../test-names/roles.ts'
import { importedBy } from '../infer-target.ts'
import { isProgram, kindOfFile } from './changed-files.ts'
import type { ChangedFile } from './facts.ts'

/** A generator changes more files than this. */
const maxGeneratedByHand = 5
const importing = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|go)$/
const story = /\.(?:stories|story)\.[cm]?[jt]sx?$/
/** `test('…', …)`, `describe.each(…)`, `def test_…`, `func TestA(…)`, `class TestA`, `class A(TestCase)` */
const declaresTests =
  /^[ \t]{0,40}(?:await )?(?:test|it|describe|suite|context|specify)(?:\.\w{1,20}){0,3} ?\(|^[ \t]{0,40}(?:async )?def test|^func Test|^class (?:Test|\w{1,80}\([\w.]{0,80}TestCase\))/m
const statement = /^(?=[ \t]*(?:import|export)\b)/m
const ofTypes = /^[ \t]*(?:import|export) type\b/

const isNamedAsTest = (path: string) =>
  importing.test(path) && !path.endsWith('_test.go') && ['test', 'test_support'].includes(kindOfFile(path))

/** Whether an import in the file makes the imported file code. Stories serve people who look at components. */
const isImporter = (path: string) => importing.test(path) && !story.test(path) && kindOfFile(path) === 'code'

/** More files with the names of tests between code and a changed file are not followed. */
const maxSteps = 3

/**
 * Finds the changed files that have the name of a test or of a helper of tests, and that code imports, directly or through
 * other such files without tests.
 *
 * @param paths - the files after the change
 * @returns a file of code for each of them
 */
export async function findImported(
  files: readonly ChangedFile[],
  paths: readonly string[],
  readMany: (paths: readonly string[]) => AsyncIterable<{ path: string; code: string }>,
): Promise<Map<string, string>> {
  const changed = files.flatMap(({ path, change }) =>
    change !== 'deleted' && isNamedAsTest(path) && !isTestSetup(path) && isProgram(path) ? path : [],
  )
  const found = new Map<string, string>()
  /** The changed files that lead to each file. */
  let wanted = new Map(changed.map((path) => [path, new Set([path])]))
  const seen = new Set(changed)
  const importers = wanted.size === 0 ? [] : paths.filter((path) => isImporter(path) || isNamedAsTest(path))
  for (let step = 0; step < maxSteps && wanted.size > 0; step++) {
    const next: typeof wanted = new Map()
    for await (const file of readMany(importers)) {
      const origins = importsOf(file, [...wanted.keys()]).flatMap((path) => [...(wanted.get(path) ?? [])])
      if (isImporter(file.path)) for (const path of origins) if (!found.has(path)) found.set(path, file.path)
      if (isImporter(file.path) || origins.length === 0 || seen.has(file.path) || declaresTests.test(file.code))
        continue
      next.set(file.path, new Set(origins))
    }
    for (const path of next.keys()) seen.add(path)
    wanted = next
  }
  return found
}

/** Returns those of some files that a code file imports for more than their types. */
function importsOf(file: { path: string; code: string }, among: readonly string[]): string[] {
  const stems = among.filter((path) => file.code.includes(stemOf(path)))
  if (stems.length === 0) return []
  return stems.filter(importedBy({ path: file.path, code: withoutTypes(file.code) }))
}

/** Removes imports of types, which do not exist when the code runs. */
const withoutTypes = (code: string) =>
  code
    .split(statement)
    .map((one) => (ofTypes.test(one) ? afterSpecifier(one) : one))
    .join('')

function afterSpecifier(code: string): string {
  const start = code.search(/['";]/)
  const end = start < 0 ? -1 : code.indexOf(code.charAt(start), start + 1)
  return code[start] === ';' || end < 0 ? code : code.slice(end + 1)
}

/** An import need not name the extension, and an index file or a package of Go only its folder. */
const stemOf = (path: string) =>
  /(?:^|\/)(?:index|__init__)\.\w+$|\.go$/.test(path)
    ? posix.basename(posix.dirname(path))
    : posix.basename(path).replace(/\.\w+$/, '')

/**
 * Classifies files as code that have the name of a test but no test, and that code imports. Files with tests stay what
 * they are, and name the code that imports them.
 *
 * @param importers - a code file for each file that code imports
 * @param sources - contents of the files that `importers` names
 */
export function withImportedCode(
  files: readonly ChangedFile[],
  importers: ReadonlyMap<string, string>,
  sources: ReadonlyMap<string, string>,
): ChangedFile[] {
  return files.map((file) => {
    const importer = importers.get(file.path)
    if (importer === undefined) return file
    const isTest = file.kind === 'test' && declaresTests.test(sources.get(file.path) ?? '')
    return isTest ? { ...file, importedBy: importer } : { ...file, kind: 'code', isDisguised: true }
  })
}

/** Returns the changed code that a tool generated, by its name. */
export const namedAsGenerated = (files: readonly ChangedFile[]): ChangedFile[] =>
  files.filter(
    ({ path, kind, holdsCode }) => kind === 'other' && holdsCode && isGeneratedPath(path) && !isVendored(path),
  )

/**
 * Classifies files as code that have the name of a generated file, but do not say so, and that somebody edited by hand:
 * a few files, without another file from which a tool could have generated them.
 *
 * @param sources - contents of the files that `namedAsGenerated` returns
 */
export function withEditedByHand(files: readonly ChangedFile[], sources: ReadonlyMap<string, string>): ChangedFile[] {
  const unmarked = new Set(
    namedAsGenerated(files).flatMap(({ path }) => {
      const source = sources.get(path)
      const isMarked = source === undefined || isGeneratedContent(path, Buffer.from(source), detectLanguage(path, null))
      return isMarked ? [] : path
    }),
  )
  const mayBeGenerated = files.some(
    ({ path, kind, holdsCode }) => kind === 'other' && holdsCode !== true && !isDocumentation(path),
  )
  if (mayBeGenerated || unmarked.size > maxGeneratedByHand) return [...files]
  return files.map((file) => (unmarked.has(file.path) ? { ...file, kind: 'code', isDisguised: true } : file))
}
