/** What an execution has used so far, and which of its limits the kernel or a look at it found exceeded. */
export interface Usage {
  cpuMs: number | null
  peakMemoryBytes: number | null
  exceeded: 'memory' | 'processes' | null
}
