import { parseFile } from '../parsing/parse-file.ts'
import { nameByFile } from '../parsing/javascript/file-name.ts'
import {
  fileFromCache,
  fileFromContent,
  isManifest,
  isRegular,
  lacksFacts,
  type TrackedFile,
} from '../analysis/read-files.ts'
import { cacheKey } from '../analysis/cache.ts'
import { buildGraph, type ImportGraph } from '../analysis/graph/graph.ts'
import { directoryOf, joinPath } from '../analysis/graph/paths.ts'
import { SourceTree } from '../analysis/graph/source-tree.ts'
import { readTesting, treeOf } from '../analysis/read-testing.ts'
import { tagNamedTests } from '../analysis/tag-tests.ts'
import type { FileRecord } from '../analysis/types.ts'
import type { Snapshot, TreeEntry } from '../source/types.ts'
import type { PlanSettings } from '../test-plan/plan.ts'
import type { TestingPart } from '../test-plan/schema.ts'
import { kindOfFile } from '../verdicts/change/changed-files.ts'
import { findRunnerFiles, isConfiguration } from '../verdicts/change/runner-files.ts'
import { familyOf, familyOfPart } from './languages.ts'
import { type TextFacts, textFactsOf } from './text-facts.ts'

/** A repository state, read for selections. */
export interface SelectableState {
  tree: SourceTree
  graph: ImportGraph
  texts: ReadonlyMap<string, TextFacts>
  parts: readonly TestingPart[]
  runnerFiles: ReadonlySet<string>
  /** Where symbolic links lead, by path. */
  links: ReadonlyMap<string, string>
}

export interface StateOptions {
  /** What is known of contents, by `cacheKey`. New records are added. */
  records: Map<string, FileRecord>
  /** The same of their texts. */
  known: Map<string, TextFacts>
  settings: PlanSettings
  signal: AbortSignal
  /** How the tests are run, if that is known. */
  parts?: readonly TestingPart[] | undefined
  /** Called before a file is parsed. */
  onParse?: (path: string) => void
}

/** Shorter than the time after which the process is stopped. */
const parseTimeoutMs = 2_000
/** Texts that are too long to have been written by a person name no files. */
const maxTextBytes = 1_048_576

/** Reads what selections need to know of a state. Hostile sources can crash or block the process. */
export async function readState(
  state: Pick<Snapshot, 'entries' | 'read'>,
  { records, known, settings, signal, parts, onParse }: StateOptions,
): Promise<SelectableState> {
  const files: TrackedFile[] = []
  const byEntry = new Map<TreeEntry, TrackedFile>()
  const manifests = new Map<string, Buffer>()
  const texts = new Map<string, TextFacts>()
  const links = new Map<string, string>()
  const toRead: TreeEntry[] = []
  for (const entry of state.entries) {
    const file = fileFromCache(entry, records, 0)
    files.push(file)
    byEntry.set(entry, file)
    const text = known.get(cacheKey(entry.blobId, entry.path))
    if (text) texts.set(entry.path, text)
    if (isLink(entry)) toRead.push(entry)
    if (!isRegular(entry)) continue
    if (!file.record || lacksFacts(file) || isRead(file) || (!text && isText(file))) toRead.push(entry)
  }
  for await (const { entry, content } of state.read(toRead, signal)) {
    const file = byEntry.get(entry)
    if (!file) continue
    if (isLink(entry)) {
      const target = content === null ? undefined : joinPath(directoryOf(entry.path), content.toString())
      if (target !== undefined) links.set(entry.path, target)
      continue
    }
    if (!file.record) Object.assign(file, fileFromContent(entry, content))
    if (!content) continue
    if (isRead(file)) manifests.set(file.path, content)
    const key = cacheKey(entry.blobId, entry.path)
    if (isText(file)) {
      const text = known.get(key) ?? textFactsOf(content.length > maxTextBytes ? '' : content.toString())
      known.set(key, text)
      texts.set(entry.path, text)
    }
    const dialect = lacksFacts(file)
    if (dialect && file.record) {
      onParse?.(file.path)
      const parsed = await parseFile(content, dialect, { timeoutMs: parseTimeoutMs, checkNesting: true })
      Object.assign(file.record, 'facts' in parsed ? { facts: nameByFile(parsed.facts, file.path) } : parsed)
    }
    if (file.record) records.set(key, file.record)
  }
  const source = treeOf(state, manifests, signal)
  const testing = (parts ?? (await readTesting(state, manifests, settings, signal))).map((part) =>
    withDoctests(part, manifests),
  )
  tagNamedTests(files, testing)
  const tree = new SourceTree(
    files,
    new Map([...manifests].map(([path, content]) => [path, content.toString().replace(/^\uFEFF/, '')])),
  )
  const all = files.map(({ path }) => ({
    path,
    get kind() {
      return kindOfFile(path)
    },
  }))
  const loaded = await findRunnerFiles(all, source, testing)
  const runnerFiles = new Set(loaded.flatMap(({ path }) => (path.endsWith('conftest.py') ? [] : path)))
  for (const path of pluginsOfPytest(files, manifests)) runnerFiles.add(path)
  return {
    tree,
    graph: buildGraph(tree, (language) => familyOf(language) === 'python'),
    texts,
    parts: testing,
    runnerFiles,
    links,
  }
}

/** Whether the content is of interest each time. All of these are read at once. */
const isRead = (file: TrackedFile) =>
  isManifest(file) || isConfiguration(file.path.slice(file.path.lastIndexOf('/') + 1))

const isLink = ({ mode }: TreeEntry) => mode === '120000'

/** Whether literals of the file are of interest. */
const isText = ({ language }: TrackedFile) =>
  familyOf(language) !== undefined || /^(?:HTML|EJS|Pug|Handlebars|Jinja|Shell|CSS|SCSS|Sass|Less)$/.test(language)

/** Pytest collects the modules themselves where it is told to run the examples in them. */
function withDoctests(part: TestingPart, manifests: ReadonlyMap<string, Buffer>): TestingPart {
  if (familyOfPart(part) !== 'python') return part
  const isTold = part.command.includes('--doctest-modules') || mentions(manifests, '--doctest-modules')
  return isTold ? { ...part, testFiles: [...(part.testFiles ?? []), '**/*.py'] } : part
}

/** A plug-in of pytest that is developed here is loaded into its own tests. */
function* pluginsOfPytest(files: readonly TrackedFile[], manifests: ReadonlyMap<string, Buffer>): Iterable<string> {
  if (!mentions(manifests, 'pytest11')) return
  for (const { path, language, tags } of files) if (language === 'Python' && !tags.includes('test')) yield path
}

function mentions(manifests: ReadonlyMap<string, Buffer>, word: string): boolean {
  for (const [path, content] of manifests) {
    if (/(?:pyproject\.toml|setup\.cfg|setup\.py|pytest\.ini|tox\.ini)$/.test(path) && content.includes(word))
      return true
  }
  return false
}
