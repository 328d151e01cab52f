/** The usage of an execution so far, and the limit that the kernel or a measurement found exceeded. */
export interface Usage {
  cpuMs: number | null
  peakMemoryBytes: number | null
  exceeded: 'memory' | 'processes' | null
}
