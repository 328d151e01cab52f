export interface Program {
  file: string
  codeCache: string
}

/** Each build has a folder of its own in it. */
export const buildsFolder: string
/** The name of the latest build, with the size and the time of change of each source by its path from the root. */
export const recordName: string
/** The folder of a build with a file for each process that runs from it. */
export const usersName: string
/** Returns the folder of the latest build; undefined if a source has changed since. */
export function currentBuild(folder?: string): string | undefined
/** Returns what to run for a program, by its absolute path: its bundle, or the program itself. */
export function findProgram(program: string, folder?: string): Program
/** Runs a program in this process. */
export function startProgram(program: string): Promise<void>
