import { property, textsInside } from '../graph/configuration.ts'
import type { ImportGraph } from '../graph/graph.ts'
import type { JavaScriptResolver } from '../graph/javascript/resolver.ts'
import type { Package } from '../graph/javascript/packages.ts'
import { directoryOf, joinPath } from '../graph/paths.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import type { Suspect } from './suspect.ts'

/** Code in other files than these has imports, too, which the analysis does not read. */
const unreadImporters = /\.(?:astro|mdx|marko|civet|coffee|litcoffee|imba|gts|gjs|riot|ls|res|elm|purs|ipynb)$/i
const builtFolder = /(?:^|\/)(?:dist|build|out|vendor|public|static|assets)\/|\.min\.js$/
/** Frameworks load the files of such folders by their place, and look for exports of certain names. */
const loadedByPlace =
  /(?:^|\/)(?:pages|routes|app|api|middleware|layouts|plugins|commands|migrations|stories|functions|server|loaders|tests?|__tests__|spec|e2e)\//
const namedByConvention =
  /^(?:default|config|metadata|viewport|loader|action|handler|handle|meta|links|headers|load|actions|entries|match|prerender|ssr|csr|setup|teardown|register|middleware|revalidate|dynamic|runtime|fetchCache|get(?:Server|Static)\w+|generate\w+|GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|up|down|activate|deactivate)$/
const maxSubpaths = 500

/**
 * Finds exported functions and classes that nothing in the repository imports and no entry point of their package
 * reaches. It judges only packages whose entry points are all known, and files that something imports: others may be
 * loaded by their path.
 */
export function deadExports(
  tree: SourceTree,
  graph: ImportGraph,
  resolver: JavaScriptResolver,
  { scripts, product }: { scripts: readonly number[]; product: readonly number[] },
): Suspect[] {
  if (!isWholeRead(tree)) return []
  const live = new LiveExports(tree, resolver)
  for (const file of scripts) live.addImports(file)
  const judged = new Map<Package, boolean>()
  const packages = new Set(scripts.flatMap((file) => resolver.packages.around(directoryOf(tree.pathOf(file))) ?? []))
  for (const one of packages) judged.set(one, addEntries(one, resolver, live))
  const names = namesBeyond(tree, scripts)
  return product.flatMap((file) => {
    const path = tree.pathOf(file)
    const around = resolver.packages.around(directoryOf(path))
    if (!around || judged.get(around) !== true || live.isWhole(file)) return []
    if (loadedByPlace.test(path) || /\.d\.[cm]?ts$|\.(?:vue|svelte)$/.test(path)) return []
    if ((graph.importers[file]?.length ?? 0) === 0) return []
    const facts = tree.facts(file)
    const lines = new Map(facts?.symbols.map(({ name, startLine }) => [name, startLine]))
    return (facts?.exports ?? []).flatMap(({ name, local = name, from }): Suspect[] => {
      const line = lines.get(local)
      const isPlain = /^[A-Za-z_$][\w$]*$/.test(name)
      const isDead =
        isPlain && from === undefined && line !== undefined && !namedByConvention.test(name) && !live.has(file, local)
      return isDead && !names.isElsewhere(name, file) ? [{ kind: 'dead_export', file, name, line }] : []
    })
  })
}

/** Whether the analysis has read all files that can import others. */
function isWholeRead(tree: SourceTree): boolean {
  return tree.files.every(({ path, tags, record, language }) => {
    if (unreadImporters.test(path)) return false
    if (!/^(?:JavaScript|TypeScript|TSX|Vue|Svelte)$/.test(language)) return true
    if (tags?.includes('generated') || tags?.includes('vendored')) return builtFolder.test(path)
    return record?.facts !== undefined && record.facts.syntaxErrors !== true
  })
}

/** The exports that something uses, or that users of a package can. */
class LiveExports {
  readonly #tree: SourceTree
  readonly #resolver: JavaScriptResolver
  readonly #names = new Set<string>()
  /** Modules of which everything counts as used. */
  readonly #whole = new Set<number>()

  constructor(tree: SourceTree, resolver: JavaScriptResolver) {
    this.#tree = tree
    this.#resolver = resolver
  }

  has(file: number, name: string): boolean {
    return this.#names.has(`${file} ${name}`)
  }

  isWhole(file: number): boolean {
    return this.#whole.has(file)
  }

  addImports(file: number): void {
    for (const folder of this.#tree.facts(file)?.loadsFrom ?? []) this.#addFolder(file, folder)
    const { imports = [], mentions = [] } = this.#tree.facts(file) ?? {}
    for (const { specifier, names, reexport } of [...imports, ...mentions]) {
      if (specifier.endsWith('/*')) {
        this.#addFolder(file, specifier.slice(0, -2))
        continue
      }
      const target = this.#resolver.resolve(file, specifier)
      // Names that a file hands on count where its own exports are used.
      if (target === undefined || reexport) continue
      if (names.length === 0 || names.includes('*')) this.addWhole(target)
      for (const name of names) {
        for (const declared of this.#resolver.declarationsOf(target, name)) this.#add(declared)
      }
    }
  }

  addWhole(file: number): void {
    const open = [file]
    for (const next of open) {
      if (this.#whole.has(next)) continue
      this.#whole.add(next)
      for (const { file: of, name } of this.#resolver.provided(next)) {
        if (name === '*') open.push(of)
        else this.#names.add(`${of} ${name}`)
      }
    }
  }

  #add({ file, name }: { file: number; name: string }): void {
    if (name === '*') this.addWhole(file)
    else this.#names.add(`${file} ${name}`)
  }

  #addFolder(from: number, relative: string): void {
    const folder = joinPath(directoryOf(this.#tree.pathOf(from)), relative)
    if (folder === undefined) return
    for (const [file, { path }] of this.#tree.files.entries()) if (path.startsWith(`${folder}/`)) this.addWhole(file)
  }
}

/**
 * Adds the entry points of a package.
 *
 * @returns whether all of them are known, so that nothing else of the package can be imported from outside
 */
function addEntries({ directory, manifest }: Package, resolver: JavaScriptResolver, live: LiveExports): boolean {
  const isPrivate = property(manifest, 'private') === true
  const exported = property(manifest, 'exports')
  if (!isPrivate && exported === undefined) return false
  let isKnown = true
  const addTarget = (target: string) => {
    if (/\.(?:json|css|scss|less|wasm|html|svg|node|d\.[cm]?ts)$/.test(target)) return
    const place = joinPath(directory, target.replace(/^\/+/, ''))
    const file = resolver.places.file(place)
    // The repository may hold built files beside their sources.
    const source = resolver.places.source({ directory, manifest }, target)
    for (const entry of [file, source]) if (entry !== undefined) live.addWhole(entry)
    if (file === undefined ? source === undefined : source === undefined && builtFolder.test(`/${target}`))
      isKnown = false
  }
  for (const key of [
    'main',
    'module',
    'source',
    'browser',
    'bin',
    'exports',
    'react-native',
    'worker',
    'svelte',
    'unpkg',
  ]) {
    const { found: targets, isWhole } = textsInside(property(manifest, key), maxSubpaths)
    if (!isWhole || targets.some((target) => target.includes('*') || target.endsWith('/'))) return false
    for (const target of targets) addTarget(target)
  }
  const main = resolver.places.inPackage({ directory, manifest }, '.')
  if (main !== undefined) live.addWhole(main)
  return isKnown
}

/** The names that files mention: code may use a name in ways that resolution does not see. */
function namesBeyond(tree: SourceTree, scripts: readonly number[]) {
  const files = new Map<string, number>()
  const several = -1
  const add = (name: string, file: number) => {
    const known = files.get(name)
    if (known === undefined) files.set(name, file)
    else if (known !== file) files.set(name, several)
  }
  for (const file of scripts) {
    const facts = tree.facts(file)
    for (const name of facts?.references ?? []) add(name, file)
    for (const { names } of facts?.imports ?? []) for (const name of names) add(name, file)
  }
  return {
    isElsewhere: (name: string, file: number): boolean => {
      const known = files.get(name)
      return known !== undefined && known !== file
    },
  }
}
