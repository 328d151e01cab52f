import { existsSync } from 'node:fs'
import { quote } from './shell.ts'

/** The devices of the machine that bubblewrap shows. */
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)

/**
 * The script, run so that nobody can change the permissions of devices. Where we are root, root of the machine owns
 * them and is the sandbox's user too. Being read-only, a mount says nothing about writing to a device.
 */
export function withProtectedDevices(script: string): string {
  if (process.getuid?.() !== 0) return script
  const mounts = devices.filter((path) => existsSync(path)).map((path) => `mount --bind -o ro ${path} ${path}`)
  // The input was opened before, past these mounts.
  const steps = [...mounts, `{ ${script}; } </dev/null`]
  return `exec unshare --mount --propagation private -- sh -c ${quote(steps.join(' && '))}`
}
