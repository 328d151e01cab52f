import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { systemEnvironment } from './system.ts'

interface Owner {
  uid: number
  gid: number
}

/** User namespaces by what they map. They need no process, only an open descriptor. */
const namespaces = new Map<string, Promise<number>>()

/**
 * Returns the path of a user namespace by which a mount shows the files of `owner` as those of the sandbox's user, and
 * files of root as those of root.
 */
export async function identityMap(owner: Owner, sandbox: number): Promise<string> {
  const key = `${owner.uid}:${owner.gid}:${sandbox}`
  const known = namespaces.get(key) ?? openNamespace(owner, sandbox)
  namespaces.set(key, known)
  try {
    return `/proc/${process.pid}/fd/${await known}`
  } catch (error) {
    namespaces.delete(key)
    throw error
  }
}

async function openNamespace(owner: Owner, sandbox: number): Promise<number> {
  // The namespace exists once it prints. It ends with its input, which is ours.
  const child = spawn('unshare', ['--user', 'sh', '-c', 'echo; read -r _'], {
    env: systemEnvironment,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  try {
    const ended = once(child, 'exit').then(() => {
      throw new Error('no user namespace could be made')
    })
    ended.catch(() => undefined)
    await Promise.race([once(child.stdout, 'data'), ended])
    const map = (id: number) => (id === 0 ? `0 ${sandbox} 1` : `0 0 1\n${id} ${sandbox} 1`)
    await writeFile(`/proc/${child.pid}/uid_map`, map(owner.uid))
    await writeFile(`/proc/${child.pid}/gid_map`, map(owner.gid))
    return openSync(`/proc/${child.pid}/ns/user`, 'r')
  } finally {
    child.kill('SIGKILL')
  }
}

/** Closes all namespaces, for tests that count descriptors. */
export async function closeIdentityMaps(): Promise<void> {
  const all = [...namespaces.values()]
  namespaces.clear()
  for (const descriptor of await Promise.all(all)) closeSync(descriptor)
}
