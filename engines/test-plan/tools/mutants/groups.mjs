/** Ends a process that leads a group, and everything in its group. */
export function endGroup(pid) {
  // It could not be started.
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of the group have ended.
  }
}
