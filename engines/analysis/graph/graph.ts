import { cSharp } from './c-sharp.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { javascript, JavaScriptResolver } from './javascript/resolver.ts'
import { type Link, LinkCollector, type Resolver, type ResolverFamily } from './links.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import { rust } from './rust.ts'
import type { SourceTree } from './source-tree.ts'

const families: readonly ResolverFamily[] = [javascript, python, go, java, ruby, rust, php, cSharp]

/** Which files of a repository use which others, by position in the tree's `files`. */
export interface ImportGraph {
  /** What each file uses. */
  links: readonly (readonly Link[])[]
  /** Files other than tests that use it for more than its types, for each file. */
  importers: readonly (readonly number[])[]
  /** The resolvers of languages whose files use each other by imports only, by file. */
  resolvers: ReadonlyMap<number, Resolver>
  /** Resolves imports of JavaScript and TypeScript; undefined if there is no such file. */
  scripts: JavaScriptResolver | undefined
}

/**
 * Reads the graph from facts, paths and manifests alone: no code of the project runs.
 *
 * @param isLinked - the languages whose links are wanted; files of others only have resolvers
 */
export function buildGraph(tree: SourceTree, isLinked: (language: string) => boolean = () => true): ImportGraph {
  const links: (readonly Link[])[] = tree.files.map(() => [])
  const resolvers = new Map<number, Resolver>()
  let scripts: JavaScriptResolver | undefined
  for (const family of families) {
    const languages = new Set(family.languages)
    const files: number[] = []
    for (const [id, file] of tree.files.entries()) {
      if (languages.has(file.language) && tree.facts(id)) files.push(id)
    }
    if (files.length === 0) continue
    const resolver = family.create(tree, files)
    if (resolver instanceof JavaScriptResolver) scripts = resolver
    for (const file of files) {
      if (isLinked(tree.files[file]?.language ?? '')) {
        const collector = new LinkCollector(file)
        resolver.link(collector)
        links[file] = collector.finish()
      }
      if (resolver.resolve) resolvers.set(file, resolver)
    }
  }
  const importers: number[][] = tree.files.map(() => [])
  for (const [file, outgoing] of links.entries()) {
    if (tree.isTest(file)) continue
    for (const { to, typeOnly } of outgoing) if (!typeOnly) importers[to]?.push(file)
  }
  return { links, importers, resolvers, scripts }
}
