import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const dashboard = resolve(import.meta.dirname, '../../dashboard')

/** Reads the paths of the pages from their sources, such as `/projects/$projectId/runs/$runId`. */
export async function readDashboardPaths(): Promise<string[]> {
  const root = pathIn(await readFile(join(dashboard, 'root-route.tsx'), 'utf8'))
  const folders = await readdir(join(dashboard, 'pages'))
  return Promise.all(
    folders.map(async (folder) => {
      const source = await readFile(join(dashboard, 'pages', folder, 'route.ts'), 'utf8')
      const path = pathIn(source)
      if (!source.includes('getParentRoute: () => projectRoute')) return path
      return path === '/' ? root : `${root}/${path}`
    }),
  )
}

function pathIn(source: string): string {
  const [, path] = /^ {2}path: '([^'\n]+)',$/m.exec(source) ?? []
  if (path === undefined) throw new Error('the route has no path')
  return path
}

/**
 * Returns the path of the page that an address leads to.
 *
 * @throws Error where the dashboard has no such page, or the address is that of another server
 */
export async function pageAt(address: string, baseUrl: string): Promise<string> {
  const { origin, pathname } = new URL(address)
  const parts = pathname.split('/')
  const isMatch = (path: string) => {
    const wanted = path.split('/')
    return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('$') || part === parts[at])
  }
  const found = (await readDashboardPaths()).find(isMatch)
  if (origin !== baseUrl || found === undefined) throw new Error(`the dashboard has no page at ${address}`)
  return found
}
