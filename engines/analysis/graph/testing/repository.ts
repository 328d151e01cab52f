import { detectLanguage } from '../../../languages/detect.ts'
import { fileTags } from '../../../languages/tags.ts'
import { dialectOf } from '../../../parsing/dialects.ts'
import { nameByFile } from '../../../parsing/javascript/file-name.ts'
import { parseFile } from '../../../parsing/parse-file.ts'
import type { FileFacts } from '../../../parsing/types.ts'
import { isGraphManifest } from '../configuration.ts'
import { buildGraph } from '../graph.ts'
import { type SourceFile, SourceTree } from '../source-tree.ts'

export interface TestRepository {
  files: SourceFile[]
  manifests: Map<string, string>
}

/** A repository given as path and text, read by the real detector and parsers. */
export async function repository(sources: Record<string, string>): Promise<TestRepository> {
  const files: SourceFile[] = []
  const manifests = new Map<string, string>()
  for (const [path, text] of Object.entries(sources)) {
    const content = Buffer.from(text)
    const language = detectLanguage(path, content)
    const file: SourceFile = { path, language, tags: fileTags(path, content, language) }
    const dialect = dialectOf(language, path)
    if (dialect) {
      const parsed = await parseFile(content, dialect, { timeoutMs: 5_000, checkNesting: true })
      const named = 'facts' in parsed ? { facts: nameByFile(parsed.facts, path) } : parsed
      file.record = { language, size: content.length, ...named }
    }
    files.push(file)
    if (isGraphManifest(path)) manifests.set(path, text)
  }
  return { files, manifests }
}

/** A file whose facts are made up: for what no parser says so simply, and for very many files. */
export function madeUpFile(path: string, language: string, facts: Partial<FileFacts>): SourceFile {
  const complete = { symbols: [], imports: [], exports: [], references: [], ...facts }
  return { path, language, tags: fileTags(path, null, language), record: { language, size: 0, facts: complete } }
}

/** What one file uses, as `path: names`, in the order of the paths; `types` and `passes on` where they apply. */
export function linksOf({ files, manifests }: TestRepository, path: string): string[] {
  const tree = new SourceTree(files, manifests)
  const links = buildGraph(tree).links[tree.idOf(path) ?? -1] ?? []
  return links
    .map(({ to, names, typeOnly, passesOn }) => {
      const notes = [typeOnly && '(types)', passesOn && '(passes on)'].filter(Boolean)
      return [`${tree.pathOf(to)}:`, ...[...names].toSorted(), ...notes].join(' ')
    })
    .toSorted()
}
