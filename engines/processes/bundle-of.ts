import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Defined where this module is part of the bundles of a checkout: the root of the sources, and the folder of the bundles. */
declare const ASSAY_BUILT: { root: string; folder: string } | undefined

/** Returns the bundle of a program in a process that itself runs from one, and the program otherwise. */
export function bundleOf(program: string): string {
  if (typeof ASSAY_BUILT === 'undefined') return program
  const path = relative(ASSAY_BUILT.root, program)
  return path.startsWith('..') || !path.endsWith('.ts')
    ? program
    : join(ASSAY_BUILT.folder, `${path.slice(0, -'.ts'.length)}.js`)
}

/** The same for a module that is named by its address. */
export const bundleOfUrl = (url: string) => pathToFileURL(bundleOf(fileURLToPath(url))).href
