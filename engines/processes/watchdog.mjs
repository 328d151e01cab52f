// The thread that ends its process when the parent has ended, and when the process needs too much memory. JavaScript,
// because a process waits for it to compile.
import { setInterval } from 'node:timers'
import { workerData } from 'node:worker_threads'

const { parentPid, maxMemoryBytes } = workerData

setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, 'SIGKILL')
  // The signal with which V8 ends a process that exceeds the limit of its heap.
  if (process.memoryUsage.rss() > maxMemoryBytes) process.kill(process.pid, 'SIGABRT')
}, 250)
