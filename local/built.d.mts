export const builtFolder: string
/** The size and the time of change of each source of the bundles, by its path from the root of the checkout. */
export const recordName: string
/** Returns whether there are bundles, and no source has changed since they were built. */
export function isCurrent(): boolean
/** Returns the bundle of a program, by its absolute path, or the program itself if a source has changed since. */
export function builtProgram(program: string): string
