import type { FilePaths } from '../file-paths.ts'
import { joinPath } from '../paths.ts'
import { ResolvedOnce } from '../resolved-once.ts'
import { importTargets, Packages } from './packages.ts'
import { Places } from './places.ts'
import { TsconfigPaths } from './tsconfig.ts'

/** Which files the specifiers of a repository mean, as its paths and manifests alone say it. */
export class Resolution {
  readonly packages: Packages
  readonly places: Places
  readonly #tsconfigs: TsconfigPaths
  readonly #resolved = new ResolvedOnce((directory, specifier) => this.#search(directory, specifier))

  constructor(paths: FilePaths) {
    this.packages = new Packages(paths)
    this.places = new Places(paths, this.packages)
    this.#tsconfigs = new TsconfigPaths(paths, (specifier) => {
      const found = this.packages.find(specifier)
      return found && joinPath(found.package.directory, found.subpath)
    })
  }

  /** Whether the configuration of TypeScript has a path of its own for a specifier in the files of a directory. */
  isMapped(directory: string, specifier: string): boolean {
    return this.#tsconfigs.maps(specifier, directory)
  }

  /** The file that a specifier in the files of a directory means. */
  resolve(directory: string, specifier: string): number | undefined {
    return this.#resolved.find(directory, specifier)
  }

  #search(directory: string, written: string): number | undefined {
    // Bundlers take instructions behind the path: `./worker?url`.
    const specifier = written.replace(/(?!^)[?#].*$/s, '')
    if (/^\.\.?(?:\/|$)/.test(specifier)) return this.places.file(joinPath(directory, specifier))
    if (specifier === '' || specifier.startsWith('/') || /^[a-z]+:/i.test(specifier)) return undefined
    if (specifier.startsWith('#')) {
      const around = this.packages.around(directory)
      for (const target of around ? importTargets(around, specifier) : []) {
        const place = target.startsWith('.') && around ? joinPath(around.directory, target) : undefined
        const file = place === undefined ? undefined : this.places.file(place)
        if (file !== undefined) return file
      }
    }
    for (const place of this.#tsconfigs.candidates(specifier, directory)) {
      const file = this.places.file(joinPath('', place))
      if (file !== undefined) return file
    }
    const found = this.packages.find(specifier)
    if (found) return this.places.inPackage(found.package, found.subpath)
    return this.#conventional(directory, specifier)
  }

  /** `@/part` and `~/part` mean the package's sources in every bundler set-up, which only its own code configures. */
  #conventional(directory: string, specifier: string): number | undefined {
    if (!/^[@~]\//.test(specifier)) return undefined
    const root = this.packages.around(directory)?.directory ?? ''
    for (const folder of ['src', 'app', '.']) {
      const inside = joinPath(root, folder)
      const file = inside === undefined ? undefined : this.places.file(joinPath(inside, specifier.slice(2)))
      if (file !== undefined) return file
    }
    return undefined
  }
}

const known = new WeakMap<FilePaths, Resolution>()

/** Returns what is known of these paths already. */
export function resolutionOf(paths: FilePaths): Resolution {
  let resolution = known.get(paths)
  if (!resolution) {
    resolution = new Resolution(paths)
    known.set(paths, resolution)
  }
  return resolution
}
