import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type ObjectFormat = 'sha1' | 'sha256'

/**
 * Makes a bare repository with nothing in it: no templates, so no hooks. With `borrow` it also has the objects of
 * others, and its history ends at the commits that `shallow` lists.
 */
export async function makeBareRepository(
  gitDir: string,
  format: ObjectFormat,
  borrow?: { objects: readonly string[]; shallow: Buffer | string | undefined },
): Promise<void> {
  await mkdir(join(gitDir, 'objects/info'), { recursive: true })
  await mkdir(join(gitDir, 'refs'), { recursive: true })
  await writeSettings(gitDir, format)
  if (borrow) {
    const lines = borrow.objects.map((objects) => `${quoted(objects)}\n`)
    await writeFile(join(gitDir, 'objects/info/alternates'), lines.join(''))
  }
  if (borrow?.shallow) await writeFile(join(gitDir, 'shallow'), borrow.shallow)
  // Last, because git takes a folder for a repository once it has a HEAD.
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n')
}

/**
 * Gives the repository only the settings that it needs to be read. This also makes it forget the remote that a partial
 * fetch notes down: with one, git would fetch every missing object by itself, one by one, when it is asked for it.
 */
export async function writeSettings(gitDir: string, format: ObjectFormat): Promise<void> {
  const version = format === 'sha1' ? 0 : 1
  // Names of files are compared as the file systems of these platforms do it.
  const ignoreCase = process.platform === 'darwin' || process.platform === 'win32'
  const lines = ['[core]', `\trepositoryformatversion = ${version}`, '\tbare = true', `\tignorecase = ${ignoreCase}`]
  if (process.platform === 'darwin') lines.push('\tprecomposeunicode = true')
  if (format === 'sha256') lines.push('[extensions]', '\tobjectformat = sha256')
  await writeFile(join(gitDir, 'config'), `${lines.join('\n')}\n`)
}

/** The file holds one path a line; git understands a line in quotes as C does. */
const quoted = (path: string) => (path.includes('\n') ? JSON.stringify(path) : path)
