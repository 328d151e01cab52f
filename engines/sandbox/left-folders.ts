import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSameProcess, ownMark } from './process-table.ts'

/** Creates a temporary folder whose name shows the next start whether this process still runs. */
export function makeTemporaryFolder(purpose: 'egress' | 'canary'): Promise<string> {
  return mkdtemp(join(tmpdir(), `assay-${purpose}-${ownMark}-`))
}

/** Removes the folders of processes of ours that were killed. */
export async function removeLeftFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const mark = /^assay-(?:egress|canary)-(\d+-\d+)-/.exec(name)?.[1]
    if (mark === undefined || isSameProcess(mark)) continue
    const path = join(tmpdir(), name)
    const found = await lstat(path).catch(() => null)
    // Other users can write to the temporary folder, and could make Assay remove files of others.
    if (found?.isDirectory() && found.uid === process.getuid?.()) await rm(path, { recursive: true, force: true })
  }
}
