import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ToolError } from './tools/tool.ts'
import { cleanName, shorten } from './sanitize.ts'

const run = promisify(execFile)

export interface LocalRepository {
  /** The top of the working tree, without symlinks on the way. */
  root: string
  /** The addresses of its remotes, origin's first, then the root itself. */
  addresses: string[]
}

/** Looks at the working tree that `path` lies in, relative to where the MCP client started us. */
export async function describeLocalRepository(path: string): Promise<LocalRepository> {
  const top = await git(path, ['rev-parse', '--show-toplevel'])
  if (!top) {
    throw new ToolError(
      `${shorten(cleanName(path), 200)} is not inside a git working tree that this machine can read. ` +
        'Give the absolute path of a checkout.',
    )
  }
  const root = await realpath(top)
  const remotes = await git(root, ['config', '--get-regexp', String.raw`^remote\..*\.url$`])
  const urls = (remotes ?? '').split('\n').flatMap((line) => {
    const space = line.indexOf(' ')
    return space < 0 ? [] : [{ name: line.slice(0, space), url: line.slice(space + 1).trim() }]
  })
  const isOrigin = ({ name }: { name: string }) => name === 'remote.origin.url'
  const ordered = [...urls.filter(isOrigin), ...urls.filter((remote) => !isOrigin(remote))]
  return { root, addresses: [...ordered.map(({ url }) => url), root] }
}

/** What git prints; undefined where it fails, which a missing remote and a folder outside of git both are. */
async function git(cwd: string, args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await run('git', args, { cwd, timeout: 10_000, maxBuffer: 1_048_576 })
    return stdout.trim()
  } catch {
    return undefined
  }
}
