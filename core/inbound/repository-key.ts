/**
 * Normalizes the URL of a repository to `host/owner/name`, like the database function `repository_key`; undefined for
 * other text.
 */
export function repositoryKey(address: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?:(?::\d+(?=\/)|:)\/?|\/)(.+)$/.exec(address)
  const [, plain] = /^(?:https?|git):\/\/(.+)$/i.exec(address) ?? []
  const key = ssh ? `${ssh[1]}/${ssh[2]}` : plain
  return key
    ?.replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/i, '')
    .toLowerCase()
}
