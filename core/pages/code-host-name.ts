import type { Config } from '../config.ts'

/** What people call the code host. */
export function codeHostName({ codeHost }: Config): string {
  const { host } = new URL(codeHost.url)
  return host === 'github.com' ? 'GitHub' : host
}
