/**
 * One spelling for every way to write a repository's address, `host/owner/name`, as the database's function of this
 * name makes it from a project's; undefined for what is no address.
 */
export function repositoryKey(address: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?::\d+(?=\/)|:)?\/?(.+)$/.exec(address)
  const [, plain] = /^(?:https?|git):\/\/(.+)$/i.exec(address) ?? []
  const key = ssh ? `${ssh[1]}/${ssh[2]}` : plain
  return key?.replace(/(\.git)?\/*$/i, '').toLowerCase()
}
