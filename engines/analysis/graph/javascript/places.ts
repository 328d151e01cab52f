import { directoryOf, joinPath } from '../paths.ts'
import type { FilePaths } from '../file-paths.ts'
import { type Package, type Packages, packageTargets } from './packages.ts'

const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte', '.d.ts', '.json']
/** TypeScript is imported under the name that its output will have. */
const written = new Map([
  ['.js', ['.ts', '.tsx', '.d.ts', '.jsx']],
  ['.jsx', ['.tsx']],
  ['.mjs', ['.mts', '.d.mts']],
  ['.cjs', ['.cts', '.d.cts']],
])
const known = new Set([...extensions, ...[...written.values()].flat()])
const outputFolder = /^(?:dist|lib|build|out|output|es|esm|cjs|umd|module|types|typings|bundles?)$/
const builtEnding = /(?:\.d)?\.[cm]?[jt]sx?$|\.json$/
const sourceFolders = ['src', 'source', 'lib', 'app', '']

/** Those of the extensions that a path ends with: `.ts` and `.d.ts` of `types.d.ts`. */
function extensionsOf(path: string): string[] {
  const last = path.slice(path.lastIndexOf('.'))
  return [last, ...(path.endsWith('.d.ts') ? ['.d.ts'] : [])].filter((extension) => known.has(extension))
}

/** Finds the source file at a place that an import points to. */
export class Places {
  readonly #paths: FilePaths
  readonly #packages: Packages
  /** The files with one of the extensions, by their path without it. */
  readonly #byStem = new Map<string, { extension: string; file: number }[]>()

  constructor(paths: FilePaths, packages: Packages) {
    this.#paths = paths
    this.#packages = packages
    for (const [file, path] of paths.all.entries()) {
      for (const extension of extensionsOf(path)) {
        const stem = path.slice(0, -extension.length)
        const known = this.#byStem.get(stem)
        if (known) known.push({ extension, file })
        else this.#byStem.set(stem, [{ extension, file }])
      }
    }
  }

  /** The file at `place`, with the extension left out or written for another one, or the directory's entry. */
  file(place: string | undefined): number | undefined {
    if (place === undefined) return undefined
    return this.#exact(place) ?? this.#directory(place) ?? this.#built(place)
  }

  /** Tests may load what a build will make: `../dist/parser.js`. */
  #built(place: string): number | undefined {
    const directory = this.#packages.around(directoryOf(place))?.directory ?? ''
    const [folder = ''] = place.slice(directory === '' ? 0 : directory.length + 1).split('/')
    return outputFolder.test(folder) ? this.#sourceOf(place, directory) : undefined
  }

  /** The sources of what a package offers, though its manifest only knows the files that a build will make. */
  inPackage(found: Package, subpath: string): number | undefined {
    const targets = packageTargets(found, subpath)
    for (const target of targets) {
      const file = this.#exact(target) ?? this.#sourceOf(target, found.directory)
      if (file !== undefined) return file
    }
    const wanted = subpath === '.' ? 'index' : subpath
    for (const folder of sourceFolders) {
      const inside = joinPath(found.directory, folder)
      const place = inside === undefined ? undefined : joinPath(inside, wanted)
      if (place === undefined) continue
      const file = this.#exact(place) ?? (subpath === '.' ? undefined : this.#index(place))
      if (file !== undefined) return file
    }
    return undefined
  }

  /** The source of a file that a manifest names. */
  source({ directory }: Package, target: string): number | undefined {
    const place = joinPath(directory, target.replace(/^\/+/, ''))
    return place === undefined ? undefined : this.#sourceOf(place, directory)
  }

  #exact(place: string): number | undefined {
    const exact = this.#paths.idOf(place)
    if (exact !== undefined) return exact
    const dot = place.lastIndexOf('.')
    const replacements = dot === -1 ? undefined : written.get(place.slice(dot))
    return (replacements && this.#ending(place.slice(0, dot), replacements)) ?? this.#ending(place, extensions)
  }

  /** The file that the first of the endings makes of a stem. */
  #ending(stem: string, endings: readonly string[]): number | undefined {
    const files = this.#byStem.get(stem)
    if (!files) return undefined
    for (const ending of endings) {
      const found = files.find(({ extension }) => extension === ending)
      if (found) return found.file
    }
    return undefined
  }

  #directory(place: string): number | undefined {
    if (!this.#paths.hasDirectory(place)) return undefined
    const found = this.#packages.in(place)
    return (found && this.inPackage(found, '.')) ?? this.#index(place)
  }

  #index(directory: string): number | undefined {
    return this.#exact(directory === '' ? 'index' : `${directory}/index`)
  }

  /** `dist/esm/parser.d.ts` is made from `src/parser.ts`, wherever the build has put it. */
  #sourceOf(target: string, directory: string): number | undefined {
    const inside = directory === '' ? target : target.slice(directory.length + 1)
    const segments = inside.split('/')
    const name = segments.pop()?.replace(builtEnding, '')
    if (!name) return undefined
    while (segments[0] !== undefined && outputFolder.test(segments[0])) segments.shift()
    if (segments[0] === 'src') segments.shift()
    for (const folder of sourceFolders) {
      for (const stem of new Set([
        name,
        name.replace(/[.-](?:esm|cjs|umd|mjs|es|min|module|node|browser|prod)\b.*$/s, ''),
      ])) {
        const place = joinPath(directory, [folder, ...segments, stem].filter(Boolean).join('/') || '.')
        const file = place === undefined ? undefined : (this.#exact(place) ?? this.#index(place))
        if (file !== undefined) return file
      }
    }
    return undefined
  }
}
