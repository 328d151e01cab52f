/** `pages/`, and `page.tsx` below `app/`. */
const page = /(?:^|\/)(?:pages\/(?!api\/)(?<pages>.+)|app\/(?<app>(?:.+\/)?)page)\.[jt]sx?$/

/** The address of a page in a file-based router; undefined for any other file. */
export function addressOfPage(path: string): string | undefined {
  const match = page.exec(path)
  if (!match) return undefined
  const segments = (match.groups?.['pages'] ?? match.groups?.['app'] ?? '')
    .split('/')
    .filter((segment) => segment !== '' && segment !== 'index' && !/^[(@_]/.test(segment))
  return `/${segments.join('/')}`
}
