import type { Config } from '../config.ts'

/** What people call the code host. */
export function codeHostName({ codeHost }: Config): string {
  const { hostname } = new URL(codeHost.url)
  return hostname === 'github.com' ? 'GitHub' : hostname
}
