import type { Config } from '../config.ts'

/** Returns the display name of the code host. */
export function codeHostName({ codeHost }: Config): string {
  const { host } = new URL(codeHost.url)
  return host === 'github.com' ? 'GitHub' : host
}
