import type { PackageInfo } from './schema.ts'
import { formatOf } from './formats.ts'
import type { DependencyKind, Ecosystem, Manifest } from './manifest.ts'

const maxManifests = 1_000
const maxEntries = 1_000

/** Which manifest of the root speaks for a repository that has several: the one of the language most files are in. */
const languagesOf: Record<Ecosystem, string[]> = {
  npm: ['JavaScript', 'TypeScript', 'TSX', 'Vue', 'Svelte', 'CoffeeScript'],
  pypi: ['Python', 'Cython', 'Jupyter Notebook'],
  go: ['Go'],
  cargo: ['Rust'],
  maven: ['Java', 'Kotlin', 'Groovy', 'Scala'],
  rubygems: ['Ruby'],
  composer: ['PHP', 'Blade'],
  nuget: ['C#', 'F#', 'Visual Basic .NET'],
  hex: ['Elixir', 'Erlang'],
}

/** Runtime first, so that a name that is listed twice keeps the range it runs with. */
const kindOrder: DependencyKind[] = ['runtime', 'peer', 'build', 'test', 'dev']

/** The package that the repository is, and all manifests, the root's first. */
export function packageInfo(
  manifests: readonly Manifest[],
  repositoryName: string,
  /** Files by language; decides between several manifests of the root. */
  languages: Readonly<Record<string, number>> = {},
): PackageInfo {
  const main = mainManifests(manifests, repositoryName, languages)
  const isMain = new Set(main)
  const scripts = Object.fromEntries(main.flatMap((manifest) => Object.entries(manifest.scripts)).slice(0, maxEntries))
  const dependencies = dependenciesOf(main)
  const version = main.find((manifest) => manifest.version)?.version
  const manager = [...main, ...manifests].find((manifest) => manifest.manager)?.manager
  return {
    name: main.find((manifest) => manifest.name)?.name ?? repositoryName,
    ...(version && { version }),
    ...(manager && { manager }),
    ...(Object.keys(scripts).length > 0 && { scripts }),
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
    ...(manifests.length > 0 && {
      manifests: [...main, ...manifests.filter((manifest) => !isMain.has(manifest))]
        .slice(0, maxManifests)
        .map(({ path, ecosystem, name, version: own, manager: by }) => ({
          path,
          ecosystem,
          ...(name && { name }),
          ...(own && { version: own }),
          ...(by && { manager: by }),
        })),
    }),
  }
}

/**
 * The manifests of the root, of the ecosystem that most of the code belongs to. Without any at the root, those of the
 * one folder that is the repository's package; several that could be it say nothing of the whole.
 */
function mainManifests(
  manifests: readonly Manifest[],
  repositoryName: string,
  languages: Readonly<Record<string, number>>,
): Manifest[] {
  const own = manifests.filter(({ path }) => !isCompanion(path))
  const depth = Math.min(...own.map(({ path }) => path.split('/').length))
  const uppermost = own.filter(({ path }) => path.split('/').length === depth)
  const folders = new Set(uppermost.map(({ path }) => folderOf(path)))
  const candidates =
    folders.size === 1
      ? uppermost
      : uppermost.filter(({ name }) => name?.toLowerCase() === repositoryName.toLowerCase()).slice(0, 1)
  const files = ({ ecosystem }: Manifest) =>
    languagesOf[ecosystem].reduce((sum, language) => sum + (languages[language] ?? 0), 0)
  const first = candidates.reduce<Manifest | undefined>(
    (best, candidate) => (best === undefined || files(candidate) > files(best) ? candidate : best),
    undefined,
  )
  if (!first) return []
  return manifests.filter(
    ({ path, ecosystem }) => ecosystem === first.ecosystem && folderOf(path) === folderOf(first.path),
  )
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function dependenciesOf(manifests: readonly Manifest[]): Record<string, string> {
  const all = manifests.flatMap(({ dependencies }) => dependencies)
  const sorted = all.toSorted((a, b) => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind))
  const ranges = new Map<string, string>()
  for (const { name, version } of sorted) {
    if (!ranges.has(name) && ranges.size < maxEntries) ranges.set(name, version || '*')
  }
  return Object.fromEntries(ranges)
}

function isCompanion(path: string): boolean {
  return formatOf(path)?.companion === true
}
