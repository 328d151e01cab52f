import { setImmediate } from 'node:timers/promises'
import type { Manifest } from '../../manifests/manifest.ts'
import type { Snapshot } from '../../source/types.ts'
import type { ImportGraph } from '../graph/graph.ts'
import { javascript } from '../graph/javascript/resolver.ts'
import type { SourceFile, SourceTree } from '../graph/source-tree.ts'
import { ProductPlaces } from '../ranking/worth.ts'
import type { Finding } from '../schema.ts'
import { deadExports } from './dead-exports.ts'
import { lineOfImport } from './import-line.ts'
import { withoutMentioned } from './other-mentions.ts'
import type { Suspect } from './suspect.ts'
import { undeclaredPython } from './undeclared-python.ts'
import { undeclaredScripts } from './undeclared-scripts.ts'

export interface FindingsInput {
  snapshot: Snapshot
  tree: SourceTree
  graph: ImportGraph
  manifests: readonly Manifest[]
  signal: AbortSignal
}

const maxRead = 200
/** Copies of a project to start from declare their packages elsewhere. */
const starter =
  /(?:^|\/)(?:\.|_)?(?:templates?|fixtures?|examples?|samples?|demos?|playgrounds?|snippets?|docs?|website|scaffolds?|boilerplates?|stubs?|bench(?:mark)?s?)(?:[-_][^/]*)?\//i

/** Finds undeclared imports and dead exports. What is not certain is left out. */
export async function findInFiles({ snapshot, tree, graph, manifests, signal }: FindingsInput): Promise<Finding[]> {
  // Lets what was started before begin with its work in other processes.
  await setImmediate()
  const { files } = tree
  const languages = new Set(javascript.languages)
  const scripts = idsOf(tree, ({ language, record }) => languages.has(language) && record?.facts !== undefined)
  const places = new ProductPlaces(tree)
  const product = idsOf(
    tree,
    (file) =>
      places.of(file, { importingTests: [], namedTests: [] }) === 'product' &&
      !starter.test(file.path) &&
      !/\.(?:d\.[cm]?ts|pyi)$/.test(file.path),
  )
  const ofLanguage = (wanted: (id: number) => boolean) => product.filter(wanted)
  const isScript = new Set(scripts)
  const productScripts = ofLanguage((id) => isScript.has(id))
  const python = ofLanguage((id) => files[id]?.language === 'Python' && files[id]?.record?.facts !== undefined)
  const imported = new Set(graph.links.flatMap((links) => links.map(({ to }) => to)))
  const suspects = [
    ...(graph.scripts ? undeclaredScripts(tree, graph.scripts, manifests, productScripts) : []),
    ...undeclaredPython(tree, manifests, python),
  ].map((suspect): Suspect => (imported.has(suspect.file) ? suspect : { ...suspect, isUnused: true }))
  const dead = graph.scripts ? deadExports(tree, graph, graph.scripts, { scripts, product: productScripts }) : []
  suspects.push(...(await withoutMentioned(dead, tree, snapshot, signal)))
  return await withLines(suspects, tree, snapshot, signal)
}

const idsOf = (tree: SourceTree, isWanted: (file: SourceFile) => boolean) =>
  [...tree.files.entries()].filter(([, file]) => isWanted(file)).map(([id]) => id)

/** Finds the lines of imports, and leaves out those that do not run for certain. */
async function withLines(
  suspects: readonly Suspect[],
  tree: SourceTree,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<Finding[]> {
  const toRead = [
    ...new Set(suspects.filter(({ line }) => line === undefined).map(({ file }) => tree.pathOf(file))),
  ].slice(0, maxRead)
  const wanted = new Set(toRead)
  const contents = new Map<string, string>()
  const entries = wanted.size === 0 ? [] : snapshot.entries.filter(({ path }) => wanted.has(path))
  for await (const { entry, content } of snapshot.read(entries, signal, { again: true })) {
    if (content) contents.set(entry.path, content.toString())
  }
  return suspects.flatMap((suspect): Finding[] => {
    const path = tree.pathOf(suspect.file)
    const line = suspect.line ?? lineOfImport(contents.get(path) ?? '', suspect.specifier ?? '', path.endsWith('.py'))
    return line === undefined
      ? []
      : [{ kind: suspect.kind, path, line, name: suspect.name, message: messageOf(suspect) }]
  })
}

function messageOf({ kind, name, isUnused }: Suspect): string {
  if (kind === 'dead_export')
    return `${name} is exported, but nothing in the repository imports it and no entry point of the package reaches it.`
  return `No manifest declares ${name}.${isUnused ? ' Nothing imports this file.' : ''}`
}
