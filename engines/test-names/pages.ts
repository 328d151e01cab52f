/** `pages/`, and `page.tsx` below `app/`. Each reads what a path without its extension always has in the end. */
const page = /(?:^|\/)pages\/(?!api\/)(?<below>.+)$/s
const pageOrApp = /(?:^|\/)(?:pages\/(?!api\/)(?<below>.+)|app\/(?<app>(?:.+\/)?)page)$/s

/** The address of a page in a file-based router; undefined for any other file. */
export function addressOfPage(path: string): string | undefined {
  const stem = /^(.+)\.[jt]sx?$/s.exec(path)?.[1]
  const match = stem && (/(?:^|\/)page$/.test(stem) ? pageOrApp : page).exec(stem)
  if (!match) return undefined
  const segments = (match.groups?.['below'] ?? match.groups?.['app'] ?? '')
    .split('/')
    .filter((segment) => segment !== '' && segment !== 'index' && !/^[(@_]/.test(segment))
  return `/${segments.join('/')}`
}
