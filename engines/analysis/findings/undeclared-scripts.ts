import { builtinModules } from 'node:module'
import type { Manifest } from '../../manifests/manifest.ts'
import { property } from '../graph/configuration.ts'
import type { JavaScriptResolver } from '../graph/javascript/resolver.ts'
import { ancestors, baseName, directoryOf } from '../graph/paths.ts'
import type { SourceTree } from '../graph/source-tree.ts'
import type { Suspect } from './suspect.ts'

const builtins = new Set(builtinModules)
/** Programs provide these modules to the code that they load. */
const provided = new Set([
  'vscode',
  'electron',
  'k6',
  'atom',
  'bun',
  'uxp',
  'photoshop',
  'indesign',
  'sketch',
  'scenegraph',
  'lwc',
  'lightning',
  'meteor',
])
/** Settings of these tools can give names to folders, or the tools provide packages themselves. */
const bundlers = new Set(
  'vite webpack rollup rolldown rspack rsbuild next nuxt astro svelte vue craco metro babel esbuild tsup tsdown quasar gatsby snowpack farm parcel docusaurus'.split(
    ' ',
  ),
)
const bundlerFiles = new Set([
  '.babelrc',
  '.swcrc',
  '.parcelrc',
  '.babelrc.json',
  'ember-cli-build.js',
  'sfdx-project.json',
])
/** Their imports are mapped by other files than package.json. */
const importMaps = ['deno.json', 'deno.jsonc', 'import_map.json', 'importmap.json', 'jspm.config.js', 'bower.json']

/**
 * Finds the packages that product code imports and that no manifest of the repository declares. It names nothing that
 * could be an alias of a bundler or come from somewhere else.
 */
export function undeclaredScripts(
  tree: SourceTree,
  resolver: JavaScriptResolver,
  manifests: readonly Manifest[],
  files: readonly number[],
): Suspect[] {
  const npm = manifests.filter(({ ecosystem }) => ecosystem === 'npm')
  const declared = new Set(npm.flatMap(({ name, dependencies }) => [...(name === undefined ? [] : [name]), ...dependencies.map((one) => one.name)])) // prettier-ignore
  const names = tree.paths.folderNames()
  const hasBundler = tree.files.some(({ path }) => configuresBundler(baseName(path)) || /(?:^|\/)\.meteor\//.test(path))
  const isElsewhere = (specifier: string, name: string) =>
    builtins.has(specifier) ||
    builtins.has(name) ||
    provided.has(name) ||
    declared.has(name) ||
    declared.has(typesOf(name)) ||
    (name.startsWith('@') ? hasBundler : names.has(name))
  const inPackages = new Map<string, boolean>()
  return files.flatMap((file) => {
    const directory = directoryOf(tree.pathOf(file))
    const inPackage = inPackages.get(directory) ?? isOfPackage(tree, resolver, directory)
    inPackages.set(directory, inPackage)
    if (!inPackage) return []
    const found = new Map<string, Suspect>()
    for (const { specifier, typeOnly } of tree.facts(file)?.imports ?? []) {
      const name = packageOf(specifier)
      if (typeOnly || name === undefined || found.has(name) || isElsewhere(specifier, name)) continue
      if (resolver.resolve(file, specifier) !== undefined || resolver.isMapped(file, specifier)) continue
      found.set(name, { kind: 'undeclared_import', file, name, specifier })
    }
    return [...found.values()]
  })
}

/** `vite.config.ts`, `webpack.prod.js`, `gatsby-node.js`. */
function configuresBundler(name: string): boolean {
  const [tool = '', ...others] = name.split(/[.-]/)
  return bundlerFiles.has(name) || (bundlers.has(tool) && others.length > 1 && /^[cm]?[jt]s$/.test(others.at(-1) ?? ''))
}

/** `@scope/name` or `name`; undefined for paths, addresses, and names that no package can have. */
function packageOf(specifier: string): string | undefined {
  return /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*(?=\/|$)/i.exec(specifier)?.[0]
}

const typesOf = (name: string) => `@types/${name.replace(/^@/, '').replace('/', '__')}`

/** Whether the nearest package.json alone says what its files can import. */
function isOfPackage(tree: SourceTree, resolver: JavaScriptResolver, directory: string): boolean {
  const around = resolver.packages.around(directory)
  if (!around || ['alias', '_moduleAliases', 'jspm'].some((key) => property(around.manifest, key) !== undefined))
    return false
  for (const folder of ancestors(directory)) {
    if (importMaps.some((name) => tree.idOf(folder === '' ? name : `${folder}/${name}`) !== undefined)) return false
  }
  return true
}
