import { isWithin } from '../test-names/paths.ts'
import { openFolder } from './folder.ts'
import { lacksModule, modulePathOf } from './go-without-module.ts'
import type { PlanPart, SourceTree } from './plan.ts'

const maxGoModules = 200

export interface GoModule {
  path: string
  /** Empty for the root of the repository. */
  folder: string
}

/** Finds the Go modules in the folders of parts. */
export async function findGoModules(tree: SourceTree, parts: readonly PlanPart[]): Promise<GoModule[]> {
  const manifests = tree.paths.filter(
    (path) => /(?:^|\/)go\.mod$/.test(path) && parts.some(({ directory }) => isWithin(path, directory)),
  )
  const modules: GoModule[] = []
  for (const manifest of manifests.slice(0, maxGoModules)) {
    const [, path] = /^module\s+"?([^\s"]+)/m.exec((await tree.read(manifest)) ?? '') ?? []
    if (path !== undefined) modules.push({ path, folder: manifest.slice(0, -'/go.mod'.length) })
  }
  for (const { directory, ecosystem } of parts) {
    if (ecosystem === 'go' && lacksModule(tree.paths, directory)) {
      modules.push({ path: await modulePathOf(openFolder(tree, directory)), folder: directory })
    }
  }
  // Longest path first, because the path of a nested module begins with that of the outer one.
  return modules.toSorted((a, b) => b.path.length - a.path.length)
}
